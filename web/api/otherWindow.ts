/** What a window in which somebody was at their provider tells those of the same browser that wait for it. */
type News =
  /** They have proved who they are, and the session has this token now. */
  | { kind: 'proved'; token: string }
  /** A sign-in for trial came back; what it found stands at the connection. */
  | { kind: 'tried' }
  /** It came to nothing; the window says why. */
  | { kind: 'refused' }

/** The provider's page cuts the tie between a window and whoever opened it: they talk by the name of a channel. */
const name = 'provider'

export function tellWindows(news: News): void {
  const channel = new BroadcastChannel(name)
  channel.postMessage(news)
  channel.close()
}

export function hearWindows(listener: (news: News) => void): () => void {
  const channel = new BroadcastChannel(name)
  channel.addEventListener('message', ({ data }: MessageEvent<News>) => listener(data))
  return () => channel.close()
}
