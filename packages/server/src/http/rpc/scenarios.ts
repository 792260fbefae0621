import { z } from 'zod'
import { parseSteps, stepText } from '../../domain/step-text.ts'
import { createScenario, removeScenario } from '../../manage/scenarios.ts'
import type { StoredScenario } from '../../store/scenarios.ts'
import { presentScenario } from '../present.ts'
import { scenarioBody, toScenarioInput } from '../scenario-params.ts'
import { id } from './inputs.ts'
import type { RpcPorts } from './ports.ts'
import { procedure, router } from './procedures.ts'

/** More than a page can show well. */
const LISTED_MAX = 100
/** All steps that a scenario may have, each with the longest text. */
const STEPS_CHARACTERS_MAX = 20_000

const newScenario = scenarioBody
  .pick({ to: true, match: true, expiresIn: true })
  .extend({ steps: z.string().max(STEPS_CHARACTERS_MAX) })

export function scenariosRouter({ store, now, inbound }: RpcPorts) {
  return router({
    /** The newest ones, and how many there are. */
    list: procedure('members').query(async ({ ctx: { team } }) => {
      const all = await store.listScenarios(team.id, now())
      return { scenarios: all.slice(0, LISTED_MAX).map(presentWithTexts), total: all.length }
    }),

    /** `steps` is a text with one step per line. */
    create: procedure('owners')
      .input(
        newScenario.transform(({ steps, ...rest }) => toScenarioInput({ ...rest, steps: parseSteps(linesOf(steps)) })),
      )
      .mutation(async ({ ctx: { team }, input }) =>
        presentWithTexts(await createScenario(inbound.scenarios, team.id, input)),
      ),

    delete: procedure('owners')
      .input(z.object({ id }))
      .mutation(async ({ ctx: { team }, input }) => {
        await removeScenario(inbound.scenarios, { teamId: team.id, id: input.id })
        return { id: input.id }
      }),
  })
}

/** Without empty lines, but an empty text is a step that is refused. */
function linesOf(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim())
  return lines.some((line) => line !== '') ? lines.filter((line) => line !== '') : ['']
}

function presentWithTexts(stored: StoredScenario) {
  const { steps, ...scenario } = presentScenario(stored)
  return { ...scenario, steps: steps.map(stepText) }
}
