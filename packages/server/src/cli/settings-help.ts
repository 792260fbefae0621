import { isReadBy, SETTINGS, type Program, type Setting } from '../program/settings.ts'

/** The settings that people change most, for each program. The help shows them first. */
const FIRST: Record<Exclude<Program, 'command'>, (keyof typeof SETTINGS)[]> = {
  serve: [
    'port',
    'smtpPort',
    'host',
    'dataDir',
    'catchAll',
    'bootstrapDomain',
    'bootstrapApiKey',
    'appUrl',
    'webhookAllowedHosts',
    'logLevel',
  ],
  api: [
    'databaseUrl',
    'secretKey',
    'webhookSecret',
    'host',
    'port',
    'appUrl',
    'rootDomain',
    'storage',
    'trustProxy',
    'signUp',
  ],
  worker: [
    'webhookUrl',
    'webhookAuthToken',
    'emailDomain',
    'storage',
    'host',
    'smtpPort',
    'smtpHost',
    'smtpAllowedDomains',
    'workerPort',
    'adminToken',
  ],
}

/** The settings of a program, the ten that matter most first. */
export function settingsHelp(program: Exclude<Program, 'command'>): string {
  const first: Setting[] = FIRST[program].map((name) => SETTINGS[name])
  const read = Object.values<Setting>(SETTINGS).filter(({ parts }) => isReadBy(program, parts))
  const width = Math.max(...read.map(({ variable }) => variable.length))
  const linesOf = (settings: Setting[]) => settings.map((setting) => lineOf(setting, width))
  return [
    '',
    'Settings (environment variables, or a file passed with mailhatch --settings <file> …).',
    'Each is also read as MAILHATCH_<NAME>, which wins. The most important ones:',
    '',
    ...linesOf(first),
    '',
    'All others:',
    '',
    ...linesOf(read.filter((setting) => !first.includes(setting))),
  ].join('\n')
}

function lineOf({ variable, help, default: value }: Setting, width: number): string {
  const fallback = value === null ? '' : ` Default: ${value.replace(/^\((.*)\)$/, '$1')}.`
  return `  ${variable.padEnd(width)}  ${help}${fallback}`
}
