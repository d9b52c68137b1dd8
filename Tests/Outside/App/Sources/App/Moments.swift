import BoardroomClient

/// Reckons with moments and numbers of events: a type that is handed out brings its operators along.
func gap(between one: RoomEvent, and other: RoomEvent) -> (time: Duration, events: Int) {
  (other.time - one.time, other.revision - one.revision)
}

func isDue(_ event: RoomEvent, at now: Timestamp) -> Bool { event.time + .seconds(30) <= now }

func next(after event: RoomEvent) -> Revision { event.revision + 1 }
