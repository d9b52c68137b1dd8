/// What somebody sees who opens the address of a server whose page is off.
package enum StartPage {
  package static let bytes = Array(
    """
    <!doctype html>
    <html lang="en">
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>Boardroom</title>
    <style>body{font:1rem/1.5 sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem}</style>
    <h1>The Boardroom server runs</h1>
    <p>It shows no board at this address: its setting <code>page.shown</code> is off. Programs join rooms here:</p>
    <ul>
    <li>WebSocket at <code>/v1/rooms</code>, subprotocol <code>boardroom.v1</code> or
    <code>boardroom.json.v1</code> (docs/PROTOCOL.md),
    <li>rooms and tokens by HTTP under <code>/v5</code>,
    <li><a href="/healthz">/healthz</a>, <a href="/readyz">/readyz</a>, <a href="/metrics">/metrics</a>.
    </ul>
    <p>To begin, on the server's machine: <code>boardroom room create</code>, then
    <code>boardroom token room UUID --role writer</code>.
    </html>

    """.utf8)
}
