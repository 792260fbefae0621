import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { keepTrack, type Program } from '../programs.ts'
import type { TaskName, TaskOptions, TaskReply, TaskResult } from './tasks.ts'

/** A separate process for load generators and references, so that they do not share an event loop with the server. */
export class TaskProcess {
  #child: ChildProcess
  #program: Program

  constructor(name: string) {
    this.#child = fork(fileURLToPath(new URL('tasks.ts', import.meta.url)))
    this.#program = keepTrack(name, this.#child)
  }

  /** One task at a time. */
  run<Name extends TaskName>(name: Name, options: TaskOptions<Name>): Promise<TaskResult<Name>> {
    return new Promise((resolve, reject) => {
      const onExit = () => reject(new Error(`The process of task ${name} exited.`))
      this.#child.once('exit', onExit)
      // The child sends the result of each task.
      this.#child.once('message', (reply: TaskReply<Name>) => {
        this.#child.off('exit', onExit)
        if ('error' in reply) reject(new Error(`${name}: ${reply.error}`))
        else resolve(reply.result)
      })
      this.#child.send({ name, options })
    })
  }

  stop(): Promise<void> {
    return this.#program.stop()
  }
}
