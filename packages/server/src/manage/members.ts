import { AppError } from '../domain/errors.ts'
import type { Store } from '../store/store.ts'

export type MemberPorts = {
  store: Pick<Store, 'removeMember'>
  /** Called after a key was deleted: ends everything that the key holds open. */
  endKey: (keyId: string) => void
  now: () => number
}

/** The member loses access at once, and the keys they created stop working. */
export async function removeMember(ports: MemberPorts, where: { teamId: string; userId: string }): Promise<void> {
  const outcome = await ports.store.removeMember(where, ports.now())
  if (outcome === 'gone') throw new AppError('not_found', 'Not found')
  if (outcome === 'last owner') throw new AppError('last_owner', 'A team keeps at least one owner.')
  for (const keyId of outcome) ports.endKey(keyId)
}
