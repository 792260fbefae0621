import { startProduct } from '../product.ts'
import { announcing } from '../replicas/measure.ts'
import { ask, mailhatch } from '../search/ask.ts'
import type { Place } from '../search/databases.ts'
import { perSecond } from '../statistics.ts'
import { TaskProcess } from '../tasks/task-process.ts'
import type { OnPoint } from './curve.ts'
import { GrownStore } from './grown-store.ts'

const TEAM = 'large'
const DOMAIN = `${TEAM}.in.example`
const INTAKE_CONNECTIONS = 16

export type MessagesPlan = { sizes: number[]; questions: number; intakeMs: number; removed: number }

/** The same work on the same store, with more and more messages. */
export async function growMessages(place: Place, folder: string, plan: MessagesPlan, onPoint: OnPoint): Promise<void> {
  const store = new GrownStore(place)
  for (const size of plan.sizes) {
    await store.growTo(size)
    const report = (series: string, unit: string, value: number) => onPoint({ series, unit, size, value })
    report('messages removed', 'messages/s', await store.remove(Math.min(plan.removed, size / 10)))
    await measure(store, folder, plan, report)
  }
}

async function measure(
  store: GrownStore,
  folder: string,
  plan: MessagesPlan,
  report: (series: string, unit: string, value: number) => void,
): Promise<void> {
  const { place } = store
  const environment = {
    DATA_DIR: place.folder,
    ...(place.url !== null && {
      MAILHATCH_DATABASE_URL: place.url,
      MAILHATCH_SECRET_KEY: 'key-of-the-benchmark-for-local-use',
    }),
  }
  // The first start on a database is another one: it reads what the last growth left in its log.
  await (await startProduct(folder, { environment })).stop()
  const product = await startProduct(folder, { environment })
  report('start', 'ms', product.startMs)
  const asking = mailhatch(product.url, TEAM)
  const encoded = (value: string) => encodeURIComponent(value)
  const paths: Record<string, (number: number) => string> = {
    'latest of a tag, p95': (number) => `/v1/messages/latest?tag=${encoded(store.termOf(number).tag)}`,
    'latest of a mailbox, p95': (number) => `/v1/messages/latest?mailbox=${store.termOf(number).mailbox}`,
    'list of 50, p95': (number) => `/v1/messages?limit=50&mailbox=${store.termOf(number).mailbox}`,
    'search in bodies, a few hits, p95': (number) => `/v1/messages?limit=50&q=${encoded(store.termOf(number).word)}`,
    'search in bodies, no hit, p95': (number) => `/v1/messages?limit=50&q=absent${number}`,
    'search in subjects, no hit, p95': (number) => `/v1/messages?limit=50&subject=absent${number}`,
  }
  for (const [series, path] of Object.entries(paths)) {
    report(series, 'ms', (await ask(asking, { path }, plan.questions)).p95)
  }
  const generator = new TaskProcess('load generator')
  const { answers, elapsedMs } = await generator.run('runHttpLoad', {
    ...announcing(DOMAIN),
    port: product.apiPort,
    connections: INTAKE_CONNECTIONS,
    durationMs: plan.intakeMs,
  })
  report('intake', 'mails/s', perSecond(answers, elapsedMs))
  await Promise.all([product.stop(), generator.stop()])
}
