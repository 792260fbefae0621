import { z } from 'zod'
import { createScenario as addScenario, readScenario, removeScenario } from '../../manage/scenarios.ts'
import { presentScenario } from '../present.ts'
import { requireAddress } from '../scenario-address.ts'
import { scenarioBody, toScenarioInput } from '../scenario-params.ts'
import { scenario } from '../shapes/scenario-shapes.ts'
import { removed } from '../shapes/shapes.ts'
import { count } from '../shapes/shape-parts.ts'
import { scenarioId } from './path-parameters.ts'
import { data, route } from './route.ts'

export const createScenario = route({
  method: 'post',
  path: '/v1/scenarios',
  access: 'api.full',
  tag: 'Scenarios',
  summary: 'Script the mail to an address',
  description:
    'From now on, mail to the address is delayed, refused or cut off as the steps say, each for one mail, or as often as its `times`. The last step stays until the scenario ends. It replaces the scenario of the same address. Mail to other addresses is not affected. A team has at most 1,000 scenarios.',
  body: scenarioBody,
  answers: {
    201: data(
      'The scenario. `activeInMs`: after how long all workers know it.',
      z.strictObject({ scenario, activeInMs: count }),
    ),
  },
  errors: [
    { code: 'validation_failed', sentence: 'The body is not valid.', details: { steps: ['is required'] } },
    'scenario_too_large',
    'scenario_unsupported',
    'mailbox_unknown',
    'scenario_limit',
    'payload_too_large',
    'unsupported_media_type',
  ],
  validate(_, { body }) {
    requireAddress(body.to)
    return toScenarioInput(body)
  },
  async handle({ inbound: { scenarios } }, { principal, input }) {
    const added = await addScenario(scenarios, principal.team.id, input)
    return { data: { scenario: presentScenario(added), activeInMs: scenarios.activeInMs } }
  },
})

export const listScenarios = route({
  method: 'get',
  path: '/v1/scenarios',
  access: 'api.full',
  tag: 'Scenarios',
  summary: 'List scenarios',
  description: 'Lists the team’s scenarios that have not ended, newest first.',
  answers: { 200: data('The scenarios.', z.array(scenario)) },
  errors: [],
  handle: async ({ store, now }, { principal }) => ({
    data: (await store.listScenarios(principal.team.id, now())).map(presentScenario),
  }),
})

export const getScenario = route({
  method: 'get',
  path: '/v1/scenarios/{id}',
  access: 'api.full',
  tag: 'Scenarios',
  summary: 'Get a scenario',
  description: 'Shows which step is next.',
  params: { id: scenarioId },
  answers: { 200: data('The scenario.', scenario) },
  errors: ['not_found'],
  handle: async ({ inbound: { scenarios } }, { principal, params: { id } }) => ({
    data: presentScenario(await readScenario(scenarios, { teamId: principal.team.id, id })),
  }),
})

export const deleteScenario = route({
  method: 'delete',
  path: '/v1/scenarios/{id}',
  access: 'api.full',
  tag: 'Scenarios',
  summary: 'End a scenario',
  description: 'From now on, mail to the address is accepted as usual.',
  params: { id: scenarioId },
  answers: { 200: data('Id of the scenario.', removed) },
  errors: ['not_found'],
  async handle({ inbound: { scenarios } }, { principal, params: { id } }) {
    await removeScenario(scenarios, { teamId: principal.team.id, id })
    return { data: { id } }
  },
})
