import {
  createFederation,
  generateCryptoKeyPair,
  type HttpMessageSignaturesSpec,
  MemoryKvStore,
} from "@fedify/fedify";
import {
  Accept,
  Activity,
  Announce,
  Create,
  Delete,
  Endpoints,
  Follow,
  Like,
  Move,
  Note,
  Person,
  PUBLIC_COLLECTION,
  Tombstone,
  Undo,
  Update,
} from "@fedify/fedify/vocab";
import { afterTest } from "./temporary";

export { Announce, Create, Delete, Follow, Like, Move, Note, PUBLIC_COLLECTION, Tombstone, Undo, Update };

/** An activity that arrived at the server, verified by Fedify. */
interface ArrivedActivity {
  activity: Activity;
  /** null: the shared inbox. */
  recipient: string | null;
}

/**
 * A server of the fediverse that nobody here wrote, with one user.
 * @param firstKnock the kind of signature that it tries first
 */
export async function fedifyServer(
  firstKnock: HttpMessageSignaturesSpec = "draft-cavage-http-signatures-12",
  name = "bob",
) {
  const arrived: ArrivedActivity[] = [];
  const keys = [await generateCryptoKeyPair("RSASSA-PKCS1-v1_5")];
  const federation = createFederation<void>({
    kv: new MemoryKvStore(),
    allowPrivateAddress: true,
    firstKnock,
  });
  federation
    .setActorDispatcher("/users/{identifier}", async (context, identifier) => {
      if (identifier !== name) return null;
      const [key] = await context.getActorKeyPairs(identifier);
      return new Person({
        id: context.getActorUri(identifier),
        preferredUsername: identifier,
        name: "Bob <b>Baker</b>",
        url: new URL(`/@${identifier}`, context.origin),
        inbox: context.getInboxUri(identifier),
        endpoints: new Endpoints({ sharedInbox: context.getInboxUri() }),
        publicKey: key?.cryptographicKey ?? null,
      });
    })
    .setKeyPairsDispatcher((_context, identifier) => (identifier === name ? keys : []));
  federation.setInboxListeners("/users/{identifier}/inbox", "/inbox").on(Activity, (context, activity) => {
    arrived.push({ activity, recipient: context.recipient });
  });
  const requests: Request[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => {
      requests.push(request.clone() as Request);
      return federation.fetch(request, { contextData: undefined });
    },
  });
  afterTest(() => void server.stop(true));
  const origin = `http://127.0.0.1:${server.port}`;
  const context = federation.createContext(new URL(origin), undefined);
  return {
    origin,
    context,
    requests,
    actor: context.getActorUri(name),
    /** Activities in the order of arrival: "Create", "Accept", … */
    arrived,
    activityAt(place: number): Activity {
      const found = arrived.at(place);
      if (!found) throw new Error(`${arrived.length} activities arrived.`);
      return found.activity;
    },
    types: () => arrived.map(({ activity }) => activity.constructor.name),
    /** Looks an actor up like a search for its handle. */
    lookUp: (what: string | URL) => context.lookupObject(what),
    /** Sends an activity of the user to an actor. @throws if the server rejects it */
    send: async (to: { id: URL; inboxId: URL }, activity: Activity) =>
      await context.sendActivity({ identifier: name }, { ...to, endpoints: null }, activity, {
        preferSharedInbox: false,
      }),
    id: (path: string) => new URL(`/${path}`, origin),
    /** Replaces the user's key. */
    async rotateKey() {
      keys.splice(0, 1, await generateCryptoKeyPair("RSASSA-PKCS1-v1_5"));
    },
  };
}

export type FedifyServer = Awaited<ReturnType<typeof fedifyServer>>;
export { Accept };
