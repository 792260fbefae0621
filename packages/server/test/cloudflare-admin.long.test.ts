import { afterAll } from 'vitest'
import { describeAdmin } from './support/admin-contract.ts'
import { buildWorker, startWorkerd } from './support/workerd.ts'

const bundle = await buildWorker()
afterAll(() => bundle.remove())

/** Settings of `wrangler.jsonc` that the tests unset. */
const UNSET = { EMAIL_WORKER_NAME: '', CLOUDFLARE_ZONE_ID: '', WEBHOOK_URL: '' }

describeAdmin('workerd, R2', async (settings) => {
  const workerd = await startWorkerd(bundle.folder, { vars: { ...UNSET, ...settings } })
  return {
    url: workerd.url.origin,
    deliver: (to, raw) => workerd.deliver({ to, raw: Buffer.from(raw) }),
    close: workerd.close,
  }
})
