import ArgumentParser
import Configuration
print("hi")
