import { startChild, type ChildServer } from '../support/child-server.ts'
import { makeTeam } from '../support/made-team.ts'
import { temporaryFolder, WEBHOOK_SECRET } from '../support/server.ts'

/** Workers that know the API only by its URL. */
export function startWorkers(url: string, count: number): Promise<ChildServer[]> {
  return Promise.all(Array.from({ length: count }, () => startWorker(url, temporaryFolder())))
}

export function startWorker(url: string, dataDir: string): Promise<ChildServer> {
  return startChild({
    program: 'worker',
    environment: { DATA_DIR: dataDir, WEBHOOK_URL: `${url}/webhooks/inbox`, WEBHOOK_AUTH_TOKEN: WEBHOOK_SECRET },
  })
}

/** An API on SQLite, and a team. */
export async function startApiApart(environment: Record<string, string> = {}) {
  const dataDir = temporaryFolder()
  const apiKey = await makeTeam({ DATA_DIR: dataDir }, { name: 'QA', domain: 'qa.test', plan: 'enterprise' })
  const api = await startChild({
    program: 'api',
    environment: { DATA_DIR: dataDir, RATE_LIMIT: 'off', ...environment },
  })
  return { api, apiKey }
}
