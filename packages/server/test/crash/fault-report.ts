/** What the runs of all programs found. */
export class FaultReport {
  runs = 0
  callsFailed = 0
  /** Which call failed where, and how; and without how. */
  hit = new Set<string>()
  placesHit = new Set<string>()
  missed: string[] = []
  acknowledged = 0
  refused = 0
  /** Stored although its sender was refused or did not get the reply. */
  unasked = 0
  deleted = 0
  /** Faults that lasted longer than one call, and how often the announcer tried to announce a message during them. */
  lasting = 0
  attemptsDuringLasting = 0
  /** Of these, those during which an accepted message was not announced, and those of them with three attempts or more. */
  lastingUnannounced = 0
  lastingTried = 0
  /** Messages that were looked at after the restart. */
  lookedAtAgain = 0
  // Names of mail, by what is wrong with it.
  falselyAcknowledged: string[] = []
  unannounced: string[] = []
  unreadable: string[] = []
  altered: string[] = []
  doubled: string[] = []
  /** By a permanent reply, during the fault. */
  refusedForGood: string[] = []
  /** Mail that was sent when the fault had gone. */
  refusedAfterwards: string[] = []
  /** Messages that could not be deleted when the fault had gone. */
  undeletable: string[] = []
  /** Deleted messages that are listed after the restart, and those that have objects then. */
  returned: string[] = []
  remaining: string[] = []
}
