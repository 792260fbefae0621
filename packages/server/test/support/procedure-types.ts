import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { API } from 'typescript/unstable/sync'
import { temporaryFolder } from './server.ts'
import { typeSchema } from './type-schema.ts'

const WORKSPACE = join(import.meta.dirname, '../../../..')
/** The dashboard is compiled with these types. They are all that describes what procedures return. */
const CLIENT = join(WORKSPACE, 'packages/dashboard/src/api/trpc.ts')
const DECLARATION = 'export type Outputs'

/** What is wrong with the result of the procedure with this path, by the type that the dashboard is compiled with, or null. */
export type ResultCheck = (path: string, data: unknown) => string | null

/** Reads the types of these procedures with the compiler, which takes seconds. A field that no type has is wrong as well. */
export function procedureTypes(paths: string[]): ResultCheck {
  const schemas = readSchemas(paths)
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true })
  const compiled = new Map<string, ValidateFunction>()
  return (path, data) => {
    const validate = compiled.get(path) ?? ajv.compile(schemas.get(path)!)
    compiled.set(path, validate)
    // JSON has no `undefined`: a procedure that returns nothing has no data.
    if (validate(data ?? null)) return null
    const { instancePath, message, params } = validate.errors![0]!
    return `${path}: ${instancePath} ${message} ${JSON.stringify(params)}`
  }
}

function readSchemas(paths: string[]): Map<string, object> {
  const tsconfig = join(temporaryFolder(), 'tsconfig.json')
  writeFileSync(tsconfig, JSON.stringify({ extends: join(WORKSPACE, 'tsconfig.json'), include: [CLIENT] }))
  const api = new API()
  try {
    const { checker } = api.updateSnapshot({ openProjects: [tsconfig] }).getProject(tsconfig)!
    const position = readFileSync(CLIENT, 'utf8').indexOf(DECLARATION) + DECLARATION.length - 1
    const outputs = checker.getTypeAtPosition(CLIENT, position)!
    return new Map(
      paths.map((path) => {
        const output = path.split('.').reduce((type, name) => {
          const symbol = checker.getPropertyOfType(type, name)
          if (!symbol) throw new Error(`${path} has no type.`)
          return checker.getTypeOfSymbol(symbol)!
        }, outputs)
        return [path, typeSchema(checker, output)]
      }),
    )
  } finally {
    api.close()
  }
}
