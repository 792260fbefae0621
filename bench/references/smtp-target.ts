/** A program that accepts mail by SMTP. */
export type SmtpTarget = {
  name: string
  smtpPort: number
  stop: () => Promise<void>
}

/** Starts a target with a new, empty store inside the folder. */
export type StartSmtpTarget = (folder: string) => Promise<SmtpTarget>
