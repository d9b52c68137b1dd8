import EventLogModel
import Testing

@Suite struct StorePlaceTests {
  @Test(
    "DB-3: the place of a database is named without user, password and options",
    arguments: [
      ("postgres://anna:geheim@db/rooms", "postgresql://db/rooms"),
      ("postgresql://anna:geheim@db1:5433,db2/rooms?sslmode=require", "postgresql://db1:5433,db2/rooms"),
      (
        "postgresql:///rooms?host=/run/postgresql&user=anna&password=geheim",
        "postgresql:///rooms?host=/run/postgresql"
      ),
      ("postgresql://[::1]:5432/rooms?sslpassword=geheim", "postgresql://[::1]:5432/rooms"),
      ("postgres://anna:ge?heim@db/rooms", "postgresql://db/rooms"),
      ("POSTGRES://anna:geheim@db/rooms", "postgresql://db/rooms"),
      ("postgres://db", "postgresql://db"),
    ])
  func named(_ address: String, _ description: String) {
    let place = StorePlace(address)
    #expect(place.isDatabase)
    #expect(place.isReadable)
    #expect("\(place)" == description)
    #expect(String(reflecting: place) == description)
  }

  @Test(
    "DB-3: where a password could be taken for something else, nothing of the address is named",
    arguments: [
      "postgres://anna:ge/heim@db/rooms", "postgres://anna:geheim", "postgres://anna:geheim/rooms",
      "postgres://db/rooms?password=geheim@x", "postgres://anna:ge@heim@db/rooms",
      "postgres://[geheim/rooms", "postgres://[::1]geheim/rooms",
      "postgres://anna:123456", "postgres://anna:123456/rooms", "postgres://anna:12345",
      "postgres://db1,anna:12345?sslmode=require", "postgre://anna:geheim@db/rooms",
      "host=db password=geheim", "password=geheim", " PassWord = geheim host=db",
      "mysql://anna:geheim@db/rooms",
      "dbname = 'rooms' user=anna password='ge heim'",
    ])
  func unreadable(_ address: String) {
    let place = StorePlace(address)
    #expect(place.isDatabase)
    #expect(!place.isReadable)
    #expect("\(place)" == "postgresql://…")
  }

  @Test(
    "Any other text is a folder",
    arguments: [
      "data", "/srv/postgres", "postgres:/x", "", "./postgres://", "/a=b/password", "a=b", "host", "./host=a",
    ])
  func folder(_ text: String) {
    #expect(StorePlace(text) == .folder(text))
    #expect(!StorePlace(text).isDatabase)
    #expect(StorePlace(text).isReadable)
    #expect("\(StorePlace(text))" == text)
  }
}
