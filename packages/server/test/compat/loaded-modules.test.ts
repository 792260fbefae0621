import { once } from 'node:events'
import { expect, test } from 'vitest'
import { ask } from '../support/ask.ts'
import { API_KEY, startChild } from '../support/child-server.ts'
import { preload } from '../support/preload.ts'
import { temporaryFolder } from '../support/server.ts'

/** What a server has loaded of the doors and of WebSockets, after a request to each door. */
async function loadedWith(environment: Record<string, string>): Promise<string[]> {
  const server = await startChild({
    environment: { DATA_DIR: temporaryFolder(), ...environment },
    nodeArguments: preload('compat/report-modules.ts'),
  })
  for (const name of ['mailpit', 'mailhog', 'maildev']) {
    await ask(`${server.apiUrl}/compat/${name}/api/v1/messages`, { key: API_KEY })
  }
  const answered = once(server.process, 'message')
  server.process.send('loaded modules')
  // As report-modules.ts sends them.
  const [{ loaded }] = (await answered) as [{ loaded: string[] }]
  expect(loaded.length).toBeGreaterThan(100)
  return loaded.flatMap((url) => /\/src\/(compat\/.*)|\/node_modules\/(ws)\//.exec(url)?.slice(1).join('') ?? [])
}

test('without COMPAT, the doors cost nothing: only their names are loaded, and no WebSockets', async () => {
  expect(await loadedWith({})).toEqual(['compat/peers.ts'])
})

test('with COMPAT, they are loaded', async () => {
  const loaded = await loadedWith({ COMPAT: 'mailpit', COMPAT_PORT: '0' })
  expect(loaded).toEqual(expect.arrayContaining(['compat/doors.ts', 'compat/mailpit/search.ts', 'ws']))
})
