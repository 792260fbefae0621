import { AppError } from '../domain/errors.ts'
import { fold } from '../domain/fold.ts'
import { PLANS } from '../domain/plans.ts'
import type { Log } from '../observe/log.ts'
import type { Invite } from '../store/accounts.ts'
import type { Team } from '../store/mailboxes.ts'
import type { Store } from '../store/store.ts'
import type { ShownInvite } from '../store/teams.ts'
import { isCapturedHere } from './captured-addresses.ts'
import type { Site } from './site.ts'
import { createAttemptLimit, type AttemptLimit } from './attempt-limit.ts'

const INVITE_MS = 14 * 86_400_000
/** Open invites per team. More would be a way to send mail to strangers. */
const INVITES_MAX = 200

const HOUR_MS = 3_600_000

/** Invites sent per process: to one address, and by one team. */
export type InviteLimits = { address: Pick<AttemptLimit, 'begin'>; team: Pick<AttemptLimit, 'begin'> }

export function createInviteLimits(now: () => number): InviteLimits {
  return {
    address: createAttemptLimit({ attemptsMax: 5, windowMs: HOUR_MS, freeAttempts: 5, now }),
    team: createAttemptLimit({ attemptsMax: 100, windowMs: 24 * HOUR_MS, freeAttempts: 100, now }),
  }
}

type Mailer = { send(mail: { to: string; subject: string; text: string }): Promise<void> }

type JoiningPorts = {
  store: Pick<Store, 'findShownInvite' | 'acceptInvite' | 'removeInvite' | 'findTeam'>
  now: () => number
}

export type InvitePorts = JoiningPorts & {
  store: Pick<Store, 'addInvite' | 'findInbox' | 'findCatchingTeam'>
  site: Site
  /** Null without an SMTP relay: the link is shown instead, and users pass it on. */
  mailer: Mailer | null
  inviteLimits: InviteLimits
  newId: (now: number) => string
  log: Pick<Log, 'warn'>
}

type Person = { id: string; email: string; name: string }

/** The user who opens the link must be signed in with the invited address. */
export function inviteLink({ appUrl }: Pick<Site, 'appUrl'>, id: string): string {
  return `${appUrl.replace(/\/+$/, '')}/teams?invite=${id}`
}

/** Inviting an address again replaces the earlier invite. */
export async function inviteToTeam(
  ports: InvitePorts,
  { team, by }: { team: Team; by: Person },
  email: string,
): Promise<{ invite: Invite; isMailed: boolean }> {
  const at = ports.now()
  const invite = {
    id: ports.newId(at),
    teamId: team.id,
    email,
    invitedBy: by.id,
    createdAt: at,
    expiresAt: at + INVITE_MS,
  }
  const limits = { membersMax: PLANS[team.plan].members, invitesMax: INVITES_MAX }
  const outcome = await ports.store.addInvite(invite, limits)
  if (outcome === 'member') throw new AppError('member_exists', `${email} is a member of this team already.`)
  if (outcome === 'limit') throw memberLimit()
  if (outcome === 'too many') {
    throw new AppError('invite_limit', `A team has at most ${INVITES_MAX} open invites. Delete some first.`)
  }
  return { invite, isMailed: await mailInvite(ports, { team, by, invite }) }
}

/** Checks the member limit again, which may have been reached since the invite was created. */
export async function acceptInvite(ports: JoiningPorts, user: Person, id: string): Promise<Team> {
  const invite = await findInviteFor(ports, user, id)
  if (invite.expiresAt <= ports.now()) {
    throw new AppError('invite_expired', 'This invite has expired. Ask for a new one.')
  }
  const team = await ports.store.findTeam(invite.teamId)
  if (!team) throw notFound()
  const joining = { userId: user.id, membersMax: PLANS[team.plan].members, at: ports.now() }
  const outcome = await ports.store.acceptInvite(invite, joining)
  if (outcome === 'joined') return team
  if (outcome === 'has team') throw new AppError('team_exists', 'You already have a team.')
  throw outcome === 'limit' ? memberLimit() : notFound()
}

export async function declineInvite(ports: JoiningPorts, user: Person, id: string): Promise<void> {
  const { email } = await findInviteFor(ports, user, id)
  await ports.store.removeInvite({ id, email })
}

/** An invite for another address is treated as missing. */
async function findInviteFor({ store }: JoiningPorts, { email }: Person, id: string): Promise<ShownInvite> {
  const invite = await store.findShownInvite({ id, email })
  if (!invite) throw notFound()
  return invite
}

async function mailInvite(
  ports: InvitePorts,
  { team, by, invite }: { team: Team; by: Person; invite: Invite },
): Promise<boolean> {
  if (!ports.mailer || (await isCapturedHere(ports, invite.email))) return false
  const subject = `Join ${team.name} on Mailhatch`
  const text = [
    `${by.name || by.email} invites you to the team ${team.name} on Mailhatch.`,
    `Open this link within 14 days, signed in as ${invite.email}:`,
    inviteLink(ports.site, invite.id),
    'If you did not expect this, ignore it.',
  ].join('\n\n')
  try {
    ports.inviteLimits.address.begin(fold(invite.email))
    ports.inviteLimits.team.begin(team.id)
    await ports.mailer.send({ to: invite.email, subject, text })
    return true
  } catch (error) {
    // The invite is still valid, and its link is shown.
    ports.log.warn({ err: error }, 'mailing an invite failed')
    return false
  }
}

function memberLimit(): AppError {
  return new AppError('member_limit', 'Member limit reached for this plan.')
}

function notFound(): AppError {
  return new AppError('not_found', 'Not found')
}
