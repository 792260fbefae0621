import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { API_KEY, BUILT_PROGRAM, startProduct } from '../product.ts'
import { installMailDev, MAILDEV } from '../references/maildev.ts'
import { MAILHATCH } from '../results.ts'
import { getRequest } from '../tasks/http-client.ts'
import { freePort } from '../programs.ts'
import { pathsOf, startPeer, type PeerName } from './catalog.ts'
import type { Peer } from './peer.ts'

/** As the package has it, whose start file turns on this cache. */
function startBuilt(folder: string, environment: Record<string, string>) {
  const cache = { NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') }
  return startProduct(folder, { file: BUILT_PROGRAM, environment: { ...cache, ...environment } })
}

/** From this checkout. */
export const mailhatch: Peer = {
  name: MAILHATCH,
  async start(folder) {
    const dataFolder = mkdtempSync(join(folder, 'mailhatch-'))
    const product = await startBuilt(folder, { DATA_DIR: dataFolder })
    return {
      ...product,
      name: MAILHATCH,
      httpPort: product.apiPort,
      dataFolder,
      latest: (address) => getRequest(`/v1/messages/latest?mailbox=${address.slice(0, address.indexOf('@'))}`, API_KEY),
      search: (word) => getRequest(`/v1/messages?limit=50&q=${encodeURIComponent(word)}`, API_KEY),
    }
  },
}

/** The same, asked through the API of another program, on the port where no key is required. */
export function mailhatchAs(name: PeerName): Peer {
  const { latestPath, searchPath } = pathsOf(name)
  return {
    name: MAILHATCH,
    async start(folder) {
      const dataFolder = mkdtempSync(join(folder, 'mailhatch-'))
      const httpPort = await freePort()
      return {
        ...(await startBuilt(folder, { DATA_DIR: dataFolder, COMPAT: name, COMPAT_PORT: String(httpPort) })),
        name: MAILHATCH,
        httpPort,
        dataFolder,
        latest: (address) => getRequest(latestPath(address), null),
        search: searchPath ? (word) => getRequest(searchPath(word), null) : null,
      }
    },
  }
}

/** From npm, with its default store, which is in memory. */
export async function mailDev(): Promise<Peer> {
  const file = await installMailDev()
  return {
    name: MAILDEV,
    start: (folder) =>
      startPeer(
        {
          title: MAILDEV,
          readyPath: '/api/healthz',
          keepsFiles: false,
          // All mail of the address: it sorts by the date in the mail, which says nothing about which one came last.
          latestPath: (address) => `/api/email?to.address=${encodeURIComponent(address)}`,
          searchPath: (word) => `/api/email/summary?limit=50&search=${encodeURIComponent(word)}`,
          count: { path: '/api/email/summary?limit=1', in: 'total' },
        },
        folder,
        ({ smtp, http }) => ({
          command: process.execPath,
          args: [
            file,
            '--smtp',
            `${smtp}`,
            '--ip',
            '127.0.0.1',
            '--web',
            `${http}`,
            '--web-ip',
            '127.0.0.1',
            '--silent',
          ],
        }),
      ),
  }
}
