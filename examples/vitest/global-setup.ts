import { startMailhatch } from '@mailhatch/sdk/server'
import { startApp } from '../sample-app/app.ts'

/** Starts Mailhatch and the app on free ports. The tests read the URLs from the environment. */
export default async function globalSetup() {
  const mailhatch = await startMailhatch()
  const app = await startApp({ smtpPort: mailhatch.smtpPort })
  process.env['MAILHATCH_URL'] = mailhatch.url
  process.env['MAILHATCH_API_KEY'] = mailhatch.apiKey
  process.env['APP_URL'] = app.url
  return async () => {
    await app.close()
    await mailhatch.close()
  }
}
