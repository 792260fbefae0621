import { afterAll } from 'vitest'
import { startJourneyWorkerd } from './support/journey-workerd.ts'
import { describeWorkerAnswers } from './support/worker-answers.ts'
import { describeWorkerJourney } from './support/worker-journey.ts'

const workerd = await startJourneyWorkerd({ webhookUrl: null, token: '' })
afterAll(() => workerd.close())

describeWorkerAnswers('workerd', workerd.start, { showsAllAnswers: false, hasTimer: false })
describeWorkerJourney('workerd', workerd.start)
