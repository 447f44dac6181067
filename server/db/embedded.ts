export type EmbeddedDatabase = { url: string; dataDir: string; stop(): Promise<void> }

export function startEmbedded(_options: { dataDir: string; fsync?: boolean }): Promise<EmbeddedDatabase> {
  return Promise.reject(new Error('Set DATABASE_URL.'))
}
