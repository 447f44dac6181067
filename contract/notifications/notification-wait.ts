/** The longest that the server keeps the question open whether there are new notifications, in milliseconds. */
export const notificationWaitMs = 25_000
