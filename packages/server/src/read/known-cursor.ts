import { AppError } from '../domain/errors.ts'
import type { Store } from '../store/store.ts'

/**
 * Throws for a position that no message has reached: its cursor is of another team, or of data that was deleted. Nothing would come
 * after it for a long time, which a test would take for "no mail".
 */
export async function requireKnownPosition(
  store: Pick<Store, 'newestPosition'>,
  teamId: string,
  after: number | null,
): Promise<void> {
  if (after === null || after <= (await store.newestPosition(teamId))) return
  throw new AppError(
    'cursor_not_found',
    'The cursor is newer than every message of the team. It is of another team or server, or of data that was deleted.',
  )
}
