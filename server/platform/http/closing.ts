import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyInstance {
    /** It was told to stop, and still serves whoever comes: `GET /api/health` sends balancers elsewhere. */
    isLeaving: boolean
  }
}

/**
 * Lets the server stop with its last answer. Node closes the connections that are idle when it begins to stop, but those on which something
 * is still going out would stay open until the browser lets go of them, for more than a minute. Whoever waits for the process would kill it
 * before.
 */
export function endWithAnswers(app: FastifyInstance): void {
  app.decorate('isLeaving', false)
  let isClosing = false
  app.addHook('preClose', async () => {
    // Without a port there are no connections.
    isClosing = app.server.listening
  })
  // A balancer keeps connections for what comes later, and would send it to a port that has closed meanwhile.
  app.addHook('onRequest', (_request, reply, done) => {
    if (app.isLeaving) reply.header('connection', 'close')
    done()
  })
  app.addHook('onResponse', ({ raw }, _reply, done) => {
    if (isClosing) raw.socket.destroySoon()
    done()
  })
}
