import { bytesOf, type Bucket } from '../bucket/bucket.ts'
import type { Log } from '../log.ts'

/** Where a worker that does not run between requests keeps what its last sweep found. */
const TROUBLE_KEY = 'sweep/way-trouble'

/** Keeps what is wrong on the way to the API for readiness checks; null when announcements pass. */
export async function keepWayTrouble(
  bucket: Pick<Bucket, 'get' | 'put' | 'remove'>,
  trouble: string | null,
  log: Pick<Log, 'error' | 'info'>,
): Promise<void> {
  const kept = await readWayTrouble(bucket)
  if (trouble === kept) return
  if (trouble === null) {
    await bucket.remove([TROUBLE_KEY])
    log.info({}, 'announcements reach the API again')
  } else {
    await bucket.put([{ key: TROUBLE_KEY, body: new TextEncoder().encode(trouble) }])
    log.error({}, trouble)
  }
}

export async function readWayTrouble(bucket: Pick<Bucket, 'get'>): Promise<string | null> {
  const object = await bucket.get(TROUBLE_KEY)
  return object && new TextDecoder().decode(await bytesOf(object))
}
