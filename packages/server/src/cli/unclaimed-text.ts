/** What happened to mail for a domain that no team has, and what to do. */
export function unclaimedText(mail: string): string {
  return `${mail} was accepted and kept, but no team has the domain: read it in the dashboard under “Other addresses”, or start the server with --catch-all.`
}
