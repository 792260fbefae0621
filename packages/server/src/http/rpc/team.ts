import { z } from 'zod'
import { AppError } from '../../domain/errors.ts'
import { parseEmail } from '../../domain/account-fields.ts'
import { retentionDays, type PlanName } from '../../domain/plans.ts'
import { acceptInvite, declineInvite, inviteLink, inviteToTeam } from '../../manage/invites.ts'
import { chosenName } from '../../manage/mailboxes.ts'
import { removeMember } from '../../manage/members.ts'
import { ensureStarterMailbox, findFirstMailbox, setUpTeam } from '../../manage/onboarding.ts'
import { isOperator } from '../../manage/operator.ts'
import { chosenTeamName, startTeam } from '../../manage/teams.ts'
import type { Role, SignedIn } from '../../store/accounts.ts'
import type { Team } from '../../store/mailboxes.ts'
import type { ShownInvite } from '../../store/teams.ts'
import { isoTime, presentMailbox } from '../present.ts'
import { id } from './inputs.ts'
import type { RpcPorts } from './ports.ts'
import { procedure, router } from './procedures.ts'

export type PresentedTeam = {
  id: string
  name: string
  plan: PlanName
  /** Null if messages are kept until they are deleted. */
  retentionDays: number | null
  /** The team's own domain, or else the root domain. */
  domain: string
  role: Role
  /** Whether it sees mail that belongs to no team. */
  seesUnrouted: boolean
}

const teamName = z.string().transform(chosenTeamName)
const email = z.string().transform((text, context) => {
  const parsed = parseEmail(text)
  if (parsed !== null) return parsed
  context.addIssue({ code: 'custom', message: 'must be an email address' })
  return z.NEVER
})

export function teamRouter(ports: RpcPorts) {
  const { store, now } = ports

  async function presentSetup(signedIn: SignedIn | null, mailboxName: string | undefined) {
    const { team, role } = signedIn ?? {}
    if (!team || !role) throw new AppError('unauthorized', 'Unauthorized')
    // Without a name, no mailbox is created here: a concurrent request may be creating it.
    const isNamed = role === 'owner' && mailboxName !== undefined
    const first = await (isNamed
      ? ensureStarterMailbox(ports.mailboxes, team, mailboxName)
      : findFirstMailbox(ports, team))
    return { team: await presentTeam(ports, team, role), mailbox: first && presentMailbox(first), isNew: false }
  }

  return router({
    /** Null if the user has no team. */
    current: procedure('anyone').query(async ({ ctx: { signedIn } }): Promise<PresentedTeam | null> => {
      const { team, role } = signedIn
      return team && role ? presentTeam(ports, team, role) : null
    }),

    /** A user who already has a team gets that team. Its owners may name the first mailbox if there is none. */
    autoSetup: procedure('anyone')
      .input(
        z
          .object({ teamName: teamName.optional(), mailboxName: z.string().transform(chosenName).optional() })
          .default({}),
      )
      .mutation(async ({ ctx: { signedIn, readAgain }, input }) => {
        if (signedIn.team) return presentSetup(signedIn, input.mailboxName)
        const created = await setUpTeam(ports.mailboxes, signedIn.user, {
          ...input,
          plan: ports.teams.defaultPlan,
        }).catch(nullIfTeamExists)
        // A concurrent request has created the team.
        if (!created) return presentSetup(await readAgain(), input.mailboxName)
        const team = await presentTeam(ports, created.team, 'owner')
        return { team, mailbox: presentMailbox(created.mailbox), isNew: true }
      }),

    create: procedure('anyone')
      .input(z.object({ name: teamName }))
      .mutation(async ({ ctx: { signedIn }, input: { name } }) => {
        const team = await startTeam(ports.teams, { userId: signedIn.user.id, name, plan: ports.teams.defaultPlan })
        return presentTeam(ports, team, 'owner')
      }),

    update: procedure('owners')
      .input(z.object({ name: teamName }))
      .mutation(async ({ ctx: { team }, input: { name } }) => {
        await store.renameTeam(team.id, name)
        return presentTeam(ports, { ...team, name }, 'owner')
      }),

    members: procedure('members').query(async ({ ctx: { team } }) => {
      const members = await store.listMembers(team.id)
      return members.map((member) => ({ ...member, joinedAt: isoTime(member.joinedAt) }))
    }),

    removeMember: procedure('owners')
      .input(z.object({ userId: id }))
      .mutation(async ({ ctx: { team }, input: { userId } }) => {
        await removeMember(ports.members, { teamId: team.id, userId })
        return { userId }
      }),

    leave: procedure('members').mutation(async ({ ctx: { team, signedIn } }) => {
      const userId = signedIn.user.id
      await removeMember(ports.members, { teamId: team.id, userId })
      return { userId }
    }),

    /** The id grants access to the invite like the link, so members see neither. */
    invites: procedure('members').query(async ({ ctx: { team, role } }) => {
      const invites = await store.listInvites({ teamId: team.id }, now())
      return invites.map((invite) => ({
        ...presentInvite(invite),
        id: role === 'owner' ? invite.id : null,
        link: role === 'owner' ? inviteLink(ports.site, invite.id) : null,
      }))
    }),

    /** If no mail was sent, the owner has to pass `link` on. */
    invite: procedure('owners')
      .input(z.object({ email }))
      .mutation(async ({ ctx: { team, signedIn }, input }) => {
        const { invite, isMailed } = await inviteToTeam(ports.members, { team, by: signedIn.user }, input.email)
        return {
          id: invite.id,
          email: invite.email,
          expiresAt: isoTime(invite.expiresAt),
          link: inviteLink(ports.site, invite.id),
          isMailed,
        }
      }),

    acceptInvite: procedure('anyone')
      .input(z.object({ id }))
      .mutation(async ({ ctx: { signedIn }, input }) => {
        const team = await acceptInvite(ports.members, signedIn.user, input.id)
        return presentTeam(ports, team, 'member')
      }),

    declineInvite: procedure('anyone')
      .input(z.object({ id }))
      .mutation(async ({ ctx: { signedIn }, input }) => {
        await declineInvite(ports.members, signedIn.user, input.id)
        return { id: input.id }
      }),

    deleteInvite: procedure('owners')
      .input(z.object({ id }))
      .mutation(async ({ ctx: { team }, input }) => {
        const isRemoved = await store.removeInvite({ id: input.id, teamId: team.id })
        if (!isRemoved) throw new AppError('not_found', 'Not found')
        return { id: input.id }
      }),

    /** Invites for the address of the caller. While the address is not confirmed, an invite needs its link. */
    invitesByEmail: procedure('anyone').query(async ({ ctx: { signedIn } }) => {
      const { email, isEmailChecked } = signedIn.user
      const invites = isEmailChecked ? await store.listInvites({ email }, now()) : []
      return invites.map(presentInvite)
    }),
  })
}

export async function presentTeam(
  { site, inbound }: Pick<RpcPorts, 'site' | 'inbound'>,
  team: Team,
  role: Role,
): Promise<PresentedTeam> {
  return {
    id: team.id,
    name: team.name,
    plan: team.plan,
    retentionDays: retentionDays(team),
    domain: team.domain ?? site.rootDomain,
    role,
    seesUnrouted: await isOperator(inbound, team, role),
  }
}

function presentInvite(invite: ShownInvite) {
  return {
    id: invite.id,
    email: invite.email,
    team: { id: invite.teamId, name: invite.teamName },
    invitedBy: { name: invite.invitedByName, email: invite.invitedByEmail },
    createdAt: isoTime(invite.createdAt),
    expiresAt: isoTime(invite.expiresAt),
  }
}

function nullIfTeamExists(error: unknown): null {
  if (error instanceof AppError && error.code === 'team_exists') return null
  throw error
}
