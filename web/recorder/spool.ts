import type { Debt, Spool } from './wire.ts'

const store = 'debts'

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open('watch', 1)
    request.addEventListener('upgradeneeded', () => {
      request.result.createObjectStore(store, { keyPath: 'playToken' })
    })
    settle(request, { resolve, reject })
  })
}

type Settle<T> = { resolve: (value: T) => void; reject: (error: Error) => void }

function settle<T>(request: IDBRequest<T>, { resolve, reject }: Settle<T>): void {
  request.addEventListener('success', () => resolve(request.result))
  request.addEventListener('error', () => reject(request.error ?? new Error('no storage')))
}

async function run<T>(mode: IDBTransactionMode, work: (debts: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const database = await open()
  return new Promise((resolve, reject) => {
    const request = work(database.transaction(store, mode).objectStore(store))
    settle(request, { resolve, reject })
    request.transaction?.addEventListener('complete', () => database.close())
  })
}

/** Keeps what is owed in the browser. Where that is forbidden (private windows), a crash may lose the last seconds; nothing else. */
export function browserSpool(): Spool {
  return {
    put: (debt) => run('readwrite', (debts) => debts.put(debt)).then(ignore, ignore),
    remove: (playToken) => run('readwrite', (debts) => debts.delete(playToken)).then(ignore, ignore),
    all: () => run<Debt[]>('readonly', (debts) => debts.getAll()).catch(() => []),
  }
}

function ignore(): void {
  // See above.
}
