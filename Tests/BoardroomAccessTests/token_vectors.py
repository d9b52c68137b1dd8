#!/usr/bin/env python3
"""Tokens made apart from the server's code, as the published issuers describe it (PARITY rows TK).

Prints the vectors that TokenTests.swift holds. Only the standard library; run it to compare."""
import base64
import hashlib
import hmac
import json
import urllib.parse


def token(prefix, secret, fields):
    ordered = dict(sorted(fields.items()))
    # JSON.stringify: no spaces, text beyond ASCII as it is.
    message = json.dumps(ordered, separators=(",", ":"), ensure_ascii=False).encode()
    ordered["sig"] = hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()
    # encodeURIComponent leaves A-Z a-z 0-9 - _ . ! ~ * ' ( ) alone.
    quote = lambda text: urllib.parse.quote(text, safe="-_.!~*'()")
    query = "&".join(f"{quote(key)}={quote(ordered[key])}" for key in sorted(ordered))
    return prefix + base64.urlsafe_b64encode(query.encode()).decode().rstrip("=")


nonce = "5e0a7a60-c6c1-11f0-8de9-0242ac120002"
room = "00112233445566778899aabbccddeeff"
for name, prefix, secret, fields in [
    ("sdk admin, no expiry", "NETLESSSDK_", "s3cr3t", {"ak": "key-1", "nonce": nonce, "role": "0"}),
    ("room writer, with expiry", "NETLESSROOM_", "s3cr3t",
     {"ak": "key-1", "expireAt": "1800000000000", "nonce": nonce, "role": "1", "uuid": room}),
    ("room reader, names that need escapes", "NETLESSROOM_", "se/cret+ö",
     {"ak": "k/ä \"1\"\n&=~'()*!\u0001", "nonce": nonce, "role": "2", "uuid": room}),
    ("task writer", "NETLESSTASK_", "s3cr3t", {"ak": "key-1", "nonce": nonce, "role": "1", "uuid": "task-7"}),
    # With a type, as Boardroom makes them (docs/HTTP.md): those of TokenTypeTests.swift.
    ("room writer bound to a user", "NETLESSROOM_", "s3cr3t",
     {"ak": "key-1", "nonce": nonce, "role": "1", "type": "room", "uid": "Ana Ümit", "uuid": room}),
    ("sdk admin", "NETLESSSDK_", "s3cr3t",
     {"ak": "key-1", "expireAt": "1800000000000", "nonce": nonce, "role": "0", "type": "sdk"}),
]:
    print(name)
    print(token(prefix, secret, fields))
text = f"boardroom.resume.1\n{room}\n0123456789abcdef0000000000000002"
print("ticket")
print(hmac.new(b"s3cr3t", text.encode(), hashlib.sha256).digest()[:16].hex())
