import { API_KEY, startProduct } from '../product.ts'
import { residentMegabytes } from '../programs.ts'
import { percentile } from '../statistics.ts'
import { TaskProcess } from '../tasks/task-process.ts'
import type { OnPoint } from './curve.ts'

/** More and more held waits, each in a new process, and the memory and time that they take. */
export async function growWaits(
  folder: string,
  databaseUrl: () => Promise<string | null>,
  sizes: number[],
  onPoint: OnPoint,
): Promise<void> {
  for (const size of sizes) {
    const url = await databaseUrl()
    const product = await startProduct(folder, {
      environment:
        url === null ? {} : { MAILHATCH_DATABASE_URL: url, MAILHATCH_SECRET_KEY: 'key-of-the-benchmark-for-local-use' },
    })
    const idleMegabytes = residentMegabytes(product.pid)
    const generator = new TaskProcess('waits')
    const { smtpPort, apiPort, pid } = product
    const result = await generator.run('measureWaiters', { smtpPort, apiPort, apiKey: API_KEY, pid, waiters: size })
    if (result.woken < size) throw new Error(`Only ${result.woken} of ${size} waits were woken.`)
    const report = (series: string, unit: string, value: number) => onPoint({ series, unit, size, value })
    report('from the 250 to the response, p99', 'ms', percentile(result.latenciesMs, 99))
    report('memory above idle', 'MB', result.holdingMegabytes - idleMegabytes)
    await Promise.all([product.stop(), generator.stop()])
  }
}
