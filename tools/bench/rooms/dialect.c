// Boardroom's dialect of the load generator: subprotocol boardroom.v1, as docs/PROTOCOL.md describes it.
//
// An operation is what a pen sends: one stroke segment of 11 points with x, y and time, each difference one
// byte, 33 bytes of points in all. The generator's marker is 31 ASCII characters; an ASCII character is also a
// one-byte variable-length integer, so the marker itself is the segment's points. A new stroke begins every 64
// segments (about three seconds of drawing at 20 segments a second). Where the generator is asked for operations of more
// than 120 bytes, the segment has as many more points.
//
// `boardroom-magix` and `boardroom-json` say the same in both subprotocols: a custom event with the payload of the generator.

struct boardroom {
    uint64_t counter;      // commands sent in this session
    uint64_t revision;     // the last one received
    uint64_t strokes;
    uint64_t segments;     // in the present stroke
    uint64_t last_sent;    // nanoseconds, for heartbeats
    char session[33], ticket[33], epoch[17];
    unsigned generation;
};

static struct boardroom boardrooms[MAX_CONNECTIONS];

static size_t boardroom_varint(uint8_t *out, uint64_t value)
{
    size_t n = 0;
    for (; value >= 0x80; value >>= 7)
        out[n++] = (uint8_t)(value | 0x80);
    out[n++] = (uint8_t)value;
    return n;
}

static uint64_t boardroom_read(const uint8_t **p, const uint8_t *end)
{
    uint64_t value = 0;
    for (unsigned shift = 0; *p < end && shift < 64; shift += 7) {
        uint8_t byte = *(*p)++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            break;
    }
    return value;
}

// The text of a field of a flat JSON object, without quotes.
static void boardroom_field(const struct part *m, const char *name, char *out, size_t size)
{
    const uint8_t *p = memmem(m->data, m->len, name, strlen(name)), *end = m->data + m->len;
    size_t n = 0;
    for (p = p ? p + strlen(name) : end; p < end && n + 1 < size && *p != '"' && *p != ',' && *p != '}'; p++)
        out[n++] = (char)*p;
    out[n] = 0;
}

static void boardroom_opened(struct connection *c)
{
    struct boardroom *b = &boardrooms[c->index];
    uint8_t out[1024];
    size_t n = 0;
    out[n++] = 1;
    n += (size_t)sprintf((char *)out + n, "{\"room\":\"b0a4d800%04x%020u\",\"token\":\"\",\"client\":\"roombench\",\"acceptsQuiet\":true", run_tag,
                         c->room);
    if (c->have && b->session[0])
        n += (size_t)sprintf((char *)out + n, ",\"session\":\"%s\",\"generation\":%u,\"ticket\":\"%s\",\"epoch\":\"%s\",\"revision\":%lu",
                             b->session, b->generation, b->ticket, b->epoch, (unsigned long)b->revision);
    else
        *b = (struct boardroom){0};
    out[n++] = '}';
    b->last_sent = now_ns();
    send_binary(c, out, n);
}

static void boardroom_welcome(struct boardroom *b, const struct part *m)
{
    char number[24];
    boardroom_field(m, "\"session\":\"", b->session, sizeof b->session);
    boardroom_field(m, "\"ticket\":\"", b->ticket, sizeof b->ticket);
    boardroom_field(m, "\"epoch\":\"", b->epoch, sizeof b->epoch);
    boardroom_field(m, "\"generation\":", number, sizeof number);
    b->generation = (unsigned)strtoul(number, NULL, 10);
    boardroom_field(m, "\"lastCounter\":", number, sizeof number);
    b->counter = strtoull(number, NULL, 10);
}

static void boardroom_message(struct connection *c, const struct part *m)
{
    struct boardroom *b = &boardrooms[c->index];
    if (m->first && m->len) {
        const uint8_t *p = m->data + 1, *end = m->data + m->len;
        switch (m->data[0]) {
        case 65:
            boardroom_welcome(b, m);
            break;
        case 66: {
            uint64_t first = boardroom_read(&p, end);
            b->revision = first + boardroom_read(&p, end) - 1;
            break;
        }
        case 71:
            b->revision = boardroom_read(&p, end);
            break;
        case 73:
            joined(c);
            break;
        case 78: { // the room is quiet: the next heartbeats may take that long
            boardroom_read(&p, end);
            boardroom_read(&p, end);
            uint8_t out[24] = {7};
            size_t n = 1 + boardroom_varint(out + 1, b->revision);
            n += boardroom_varint(out + n, boardroom_read(&p, end));
            b->last_sent = read_time;
            send_binary(c, out, n);
            return;
        }
        case 69:
        case 75: {
            static bool told;
            if (!told)
                fprintf(stderr, "roombench: the server says: %.*s\n", (int)(m->len - 1), m->data + 1);
            told = true;
            break;
        }
        }
    }
    scan_ops(c, m);
    if (c->state == JOINED && read_time > b->last_sent + NS_PER_S) {
        uint8_t out[16] = {3};
        size_t n = 1 + boardroom_varint(out + 1, b->revision);
        b->last_sent = read_time;
        send_binary(c, out, n);
    }
}

static size_t boardroom_op(struct connection *c, const uint8_t *payload, size_t len, uint8_t *out)
{
    struct boardroom *b = &boardrooms[c->index];
    const uint8_t *marker = memmem(payload, len, "~rb", 3);
    bool begins = b->segments == 0, ends = b->segments == 63;
    uint8_t body[MAX_OP + 128];
    size_t n = boardroom_varint(body, ++b->counter);
    if (begins)
        b->strokes++;
    n += boardroom_varint(body + n, b->strokes);
    body[n++] = (uint8_t)((begins ? 1 : 0) | (ends ? 2 : 0) | 4); // no pressure
    if (begins) {
        static const uint8_t style[] = {1, 0xfd, 0, 0x1f, 0x5f, 0xbf, 255, 12}; // scene 1, 1/8 pixel, pencil, blue, 3 px
        memcpy(body + n, style, sizeof style);
        n += sizeof style;
    }
    size_t points = opt.op_bytes > 120 ? opt.op_bytes / 3 : 11;
    if (3 * points > MAX_OP - 128)
        points = (MAX_OP - 128) / 3; // what out has room for
    n += boardroom_varint(body + n, points);
    memcpy(body + n, marker, MARKER_LEN);
    n += MARKER_LEN;
    memset(body + n, 8, 3 * points - MARKER_LEN);
    n += 3 * points - MARKER_LEN;
    b->segments = ends ? 0 : b->segments + 1;
    b->last_sent = now_ns();
    out[0] = 2;
    size_t total = 1 + boardroom_varint(out + 1, n);
    out[total++] = 1;
    memcpy(out + total, body, n);
    return total + n;
}

static size_t boardroom_magix_op(struct connection *c, const uint8_t *payload, size_t len, uint8_t *out)
{
    struct boardroom *b = &boardrooms[c->index];
    uint8_t body[MAX_OP + 128];
    if (len > MAX_OP - 128)
        len = MAX_OP - 128; // what out has room for; such JSON is refused, and the run says so
    size_t n = boardroom_varint(body, ++b->counter);
    n += (size_t)sprintf((char *)body + n, "{\"event\":\"b\",\"payload\":");
    memcpy(body + n, payload, len);
    n += len;
    body[n++] = '}';
    b->last_sent = now_ns();
    out[0] = 2;
    size_t total = 1 + boardroom_varint(out + 1, n);
    out[total++] = 30; // the kind magix
    memcpy(out + total, body, n);
    return total + n;
}

static size_t boardroom_json_op(struct connection *c, const uint8_t *payload, size_t len, uint8_t *out)
{
    struct boardroom *b = &boardrooms[c->index];
    b->last_sent = now_ns();
    size_t n = (size_t)sprintf((char *)out,
                               "{\"m\":\"commands\",\"commands\":[{\"n\":%lu,\"kind\":\"magix\",\"body\":{\"event\":\"b\",\"payload\":",
                               (unsigned long)++b->counter);
    memcpy(out + n, payload, len);
    memcpy(out + n + len, "}}]}", 4);
    return n + len + 4;
}

static void boardroom_json_opened(struct connection *c)
{
    struct boardroom *b = &boardrooms[c->index];
    *b = (struct boardroom){.last_sent = now_ns()};
    send_text(c, "{\"m\":\"hello\",\"room\":\"b0a4d800%04x%020u\",\"token\":\"\",\"client\":\"roombench\",\"acceptsQuiet\":true}", run_tag,
              c->room);
}

static bool boardroom_says(const struct part *m, const char *name)
{
    size_t len = strlen(name);
    return m->first && m->len >= len && !memcmp(m->data, name, len);
}

static void boardroom_json_message(struct connection *c, const struct part *m)
{
    struct boardroom *b = &boardrooms[c->index];
    char number[24];
    if (boardroom_says(m, "{\"m\":\"live\"")) {
        joined(c);
    } else if (boardroom_says(m, "{\"m\":\"quiet\"")) {
        boardroom_field(m, "\"ms\":", number, sizeof number);
        b->last_sent = read_time;
        return send_text(c, "{\"m\":\"quiet\",\"revision\":1,\"ms\":%s}", number);
    } else if (boardroom_says(m, "{\"m\":\"refused\"") || boardroom_says(m, "{\"m\":\"farewell\"")) {
        static bool told;
        if (!told)
            fprintf(stderr, "roombench: the server says: %.*s\n", (int)m->len, m->data);
        told = true;
    }
    scan_ops(c, m);
    if (c->state == JOINED && read_time > b->last_sent + NS_PER_S) {
        b->last_sent = read_time;
        send_text(c, "{\"m\":\"heartbeat\",\"revision\":1}");
    }
}
