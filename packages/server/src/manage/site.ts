/** The addresses of this server. */
export type Site = {
  /** The public URL. */
  appUrl: string
  /** The domain of mailboxes whose team has no domain of its own. */
  rootDomain: string
}
