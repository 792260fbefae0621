/** What `--from` may name. */
export const KINDS = ['mailpit', 'mailhog', 'maildev', 'mbox', 'eml'] as const

export type Kind = (typeof KINDS)[number]

/** For the error about other files. */
export const TAKEN =
  'Mailhatch imports a Mailpit database or dump, the folder of MailHog or MailDev, a maildir, mbox files and .eml files.'
