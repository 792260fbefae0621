import { z } from 'zod'
import { readUserName, USER_NAME_CHARACTERS_MAX } from '../../domain/account-fields.ts'
import type { SignedIn } from '../../store/accounts.ts'
import { isoTime } from '../present.ts'
import type { RpcPorts } from './ports.ts'
import { procedure, router } from './procedures.ts'

const name = z.string().max(USER_NAME_CHARACTERS_MAX).transform(readUserName)

export function userRouter({ store, now }: Pick<RpcPorts, 'store' | 'now'>) {
  return router({
    me: procedure('anyone').query(({ ctx: { signedIn } }) => presentUser(signedIn)),

    update: procedure('anyone')
      .input(z.object({ name }))
      .mutation(async ({ ctx: { signedIn }, input }) => {
        await store.renameUser(signedIn.user.id, { name: input.name, at: now() })
        return presentUser({ ...signedIn, user: { ...signedIn.user, name: input.name } })
      }),
  })
}

function presentUser({ sessionId, user, team, role }: SignedIn) {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    isEmailChecked: user.isEmailChecked,
    createdAt: isoTime(user.createdAt),
    sessionId,
    team: team && { id: team.id, name: team.name },
    role,
  }
}
