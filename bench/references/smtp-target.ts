/** Something that takes mail by SMTP while the benchmark runs. */
export type SmtpTarget = {
  name: string
  smtpPort: number
  stop: () => Promise<void>
}

/** Starts a target with a new, empty store inside the folder. */
export type StartSmtpTarget = (folder: string) => Promise<SmtpTarget>
