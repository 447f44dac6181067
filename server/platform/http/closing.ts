import type { FastifyInstance } from 'fastify'

/**
 * Lets the server stop with its last answer. Node closes the connections that are idle when it begins to stop, but those on which something
 * is still going out would stay open until the browser lets go of them, for more than a minute. Whoever waits for the process would kill it
 * before.
 */
export function endWithAnswers(app: FastifyInstance): void {
  let isClosing = false
  app.addHook('preClose', async () => {
    // Without a port there are no connections.
    isClosing = app.server.listening
  })
  app.addHook('onResponse', async ({ raw }) => {
    if (isClosing) raw.socket.destroySoon()
  })
}
