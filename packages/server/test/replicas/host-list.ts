import { onTestFinished } from 'vitest'
import { startSilentProxy, type SilentProxy } from './silent-proxy.ts'

/** The test servers ask for no password, so any is right. */
export const PASSWORD = 'password-of-the-hosts'

/** One URL with the hosts of several, and a password. */
export function joinHosts(urls: string[]): string {
  const [first, ...others] = urls.map((url) => new URL(url))
  first!.password = PASSWORD
  return first!.href.replace(first!.host, [first!, ...others].map(({ host }) => host).join(','))
}

/** Two hosts that lead to one database, and their URL. Closed when the test ends. */
export async function startTwoHosts(databaseUrl: string): Promise<{ url: string; hosts: [SilentProxy, SilentProxy] }> {
  const start = async () => {
    const proxy = await startSilentProxy(databaseUrl)
    onTestFinished(() => proxy.close())
    return proxy
  }
  const hosts: [SilentProxy, SilentProxy] = [await start(), await start()]
  return { url: joinHosts(hosts.map(({ url }) => url)), hosts }
}
