import BoardroomWebhooks

extension Setting {
  static let webhooks: [Setting] = [
    Setting(
      key: "webhooks.urls", meaning: "where room and member events are told (docs/WEBHOOKS.md)",
      form: "none, or http and https addresses with commas",
      set: { settings, text in
        let urls = WebhookSettings.list(text)
        guard !text.isEmpty, urls.allSatisfy({ WebhookEndpoint($0) != nil }) else {
          return "is not a list of http or https addresses without user names"
        }
        guard Set(urls).count == urls.count, urls.count <= WebhookSettings.mostEndpoints else {
          return "names an address twice, or more than \(WebhookSettings.mostEndpoints)"
        }
        settings.webhooks.urls = text
        return nil
      }, read: { $0.webhooks.urls }),
    Setting(
      key: "webhooks.secret", meaning: "what deliveries are signed with; two while one replaces the other",
      form: "none, or one or two secrets with commas",
      set: { settings, text in
        let secrets = WebhookSettings.list(text)
        guard !text.isEmpty, secrets.count <= 2, secrets.allSatisfy({ WebhookSecret($0) != nil }) else {
          return "is not one or two secrets of at least \(WebhookSecret.least) bytes"
        }
        settings.webhooks.secret = text
        return nil
      }, read: { $0.webhooks.secret == WebhookSettings.none ? WebhookSettings.none : "(set)" }),
    .text(
      "webhooks.secretFile", \.webhooks.secretFile,
      "file with the secrets, one a line; none: made in the data folder"),
    Setting(
      key: "webhooks.kinds", meaning: "which kinds of events are told", form: "standard and names of kinds",
      set: { settings, text in
        let names = WebhookSettings.list(text)
        guard !names.isEmpty, WebhookKinds(names: names) != nil else {
          return "is not a list of kinds as docs/WEBHOOKS.md has them"
        }
        settings.webhooks.kinds = text
        return nil
      }, read: { $0.webhooks.kinds }),
    .choice("webhooks.from", \.webhooks.from, "where a new endpoint begins in each room"),
    .duration(
      "webhooks.retention", \.webhooks.retention, .seconds(60)...(.seconds(31_536_000)),
      "how long an endpoint may fail before events are given up; 3 days"),
    .duration(
      "webhooks.timeout", \.webhooks.timeout, .milliseconds(100)...(.seconds(60)),
      "time for an endpoint to answer"),
    .count("webhooks.batch", \.webhooks.batch, 1...1_000, "events in one request; above 1: a JSON array"),
  ]
}
