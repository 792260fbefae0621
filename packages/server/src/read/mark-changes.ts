import type { ChangedMark, MarkState } from '../store/read-marks.ts'
import type { Store } from '../store/store.ts'

/** If more were marked since the last look, the page reads its list again. */
const CHANGES_MAX = 500

/** What changed since a state. */
export type MarkChanges = {
  state: MarkState
  /** All messages up to this position are read, except those in `changed`. Null if they were not marked together. */
  readThrough: number | null
  changed: ChangedMark[]
  /** More have changed than `changed` contains. */
  isCut: boolean
}

/** Null if nothing changed. */
export async function readMarkChanges(
  store: Pick<Store, 'markState' | 'changedMarks'>,
  teamId: string,
  since: MarkState,
): Promise<MarkChanges | null> {
  const state = await store.markState(teamId)
  if (state.version === since.version) return null
  const changed = await store.changedMarks(teamId, { after: since.version, limit: CHANGES_MAX + 1 })
  return {
    state,
    readThrough: state.readThrough === since.readThrough ? null : state.readThrough,
    changed: changed.slice(0, CHANGES_MAX),
    isCut: changed.length > CHANGES_MAX,
  }
}

/** The text form, which a page sends back. */
export function formatMarkState({ version, readThrough }: MarkState): string {
  return `${version}.${readThrough}`
}

export const MARK_STATE_PATTERN = /^\d{1,15}\.\d{1,15}$/

/** The text matches the pattern. */
export function parseMarkState(text: string): MarkState {
  const [version, readThrough] = text.split('.').map(Number)
  return { version: version!, readThrough: readThrough! }
}
