import { isDeepStrictEqual } from 'node:util'
import { buildWorker, startWorkerd } from './workerd.ts'
import { ADMIN_TOKEN, ROOT_DOMAIN, type JourneySettings, type JourneyWorker } from './worker-journey.ts'

/** The built worker in workerd for the tests of a file, which closes it. A restart takes a second of processor time. */
export async function startJourneyWorkerd(initial: JourneySettings) {
  const bundle = await buildWorker()
  const workerd = await startWorkerd(bundle.folder, settingsFor(initial))
  let current = initial

  async function configure(settings: JourneySettings): Promise<void> {
    if (isDeepStrictEqual(settings, current)) return
    current = settings
    await workerd.configure(settingsFor(settings))
  }

  return {
    ...workerd,
    bundle: bundle.folder,
    configure,
    /** The same worker for every journey; its bucket stays. */
    async start(settings: JourneySettings): Promise<JourneyWorker> {
      await configure(settings)
      const { bucket, fetch, deliver, sweep } = workerd
      return { bucket, fetch, deliver, sweep, configure, async close() {} }
    },
    async close(): Promise<void> {
      await workerd.close()
      bundle.remove()
    },
  }
}

const settingsFor = ({ webhookUrl, token, scenarios = false }: JourneySettings) => ({
  vars: {
    EMAIL_DOMAIN: ROOT_DOMAIN,
    WEBHOOK_URL: webhookUrl ?? '',
    WEBHOOK_TIMEOUT_MS: '5000',
    SCENARIOS: scenarios ? 'on' : '',
  },
  secrets: { ADMIN_TOKEN, WEBHOOK_AUTH_TOKEN: token },
})
