/** The module that makes stages fail. */
export const POISONED = 'poisoned-stages'

/**
 * The functions that get something of a mail, in the order of their names. A test compares them with those that a program
 * prints, so that one that is moved or called in another way is not left out unnoticed.
 */
export const STAGES = [
  'feed.wake',
  'intake/accept-announcement.intake',
  'intake/accept-announcement.readAnnouncement',
  'intake/announcement-limits.cutText',
  'intake/announcement-limits.cutToBytes',
  'intake/announcement.isAtMost',
  'intake/announcement.withShortLists',
  'intake/announcement.withinLimits',
  'intake/intake.newEvent',
  'intake/intake.newMessage',
  'intake/new-event.webhookEventBody',
  'intake/new-message.cutToBytes',
  'intake/new-message.findCodes',
  'intake/new-message.findLinks',
  'intake/new-message.fold',
  'intake/new-message.senderName',
  'mime/mail-parser.parseMail',
  'mime/parse-thread.parseMail',
  'mime/parse-thread.release',
  'store.addFirstMessage',
  'store.addMessage',
  'store.findInbox',
  'store.findListeners',
  'worker/announce-stored.announce',
  'worker/announcer.announcementOf',
]

/** Stages that are missing, and those that are new. */
export function changesOf(stages: string[]): string[] {
  const missing = STAGES.filter((stage) => !stages.includes(stage)).map((stage) => `${stage} is missing`)
  return [...missing, ...stages.filter((stage) => !STAGES.includes(stage)).map((stage) => `${stage} is new`)]
}
