/**
 * A sentence of the server, such as the reason why it refused, as the reader is to see it. The server speaks English; the build of
 * another language puts its translations here, from `build/texts/server.ts`.
 */
export const said = (sentence: string): string => sentence
