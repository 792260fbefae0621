import { bytesOf, type Bucket } from '../bucket/bucket.ts'
import type { Log } from '../observe/log.ts'

/** Cloudflare workers keep no memory between runs, so the last sweep stores its finding here. */
const PROBLEM_KEY = 'sweep/way-trouble'

/** Stores why announcements do not reach the API, for readiness checks. Null when they do. */
export async function saveReachabilityProblem(
  bucket: Pick<Bucket, 'get' | 'put' | 'remove'>,
  problem: string | null,
  log: Pick<Log, 'error' | 'info'>,
): Promise<void> {
  const previous = await readReachabilityProblem(bucket)
  if (problem === previous) return
  if (problem === null) {
    await bucket.remove([PROBLEM_KEY])
    log.info({}, 'announcements reach the API again')
  } else {
    await bucket.put([{ key: PROBLEM_KEY, body: new TextEncoder().encode(problem) }])
    log.error({}, problem)
  }
}

export async function readReachabilityProblem(bucket: Pick<Bucket, 'get'>): Promise<string | null> {
  const object = await bucket.get(PROBLEM_KEY)
  return object && new TextDecoder().decode(await bytesOf(object))
}
