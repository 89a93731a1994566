import { expect, test } from "bun:test";
import { join } from "node:path";
import { subscribers } from "../../src/database/schema";
import {
  addSubscriber,
  listSubscribers,
  markLeft,
  setSubscriberState,
  subscriberWithAddress,
} from "../../src/newsletter/subscribers";
import { callPlaten } from "../support/command";
import { startPlaten, type TestPlaten } from "../support/platen";
import { temporaryFolder } from "../support/temporary";

/** CSV columns of each service, with one active subscriber and inactive others. */
const EXPORTS: Record<string, { csv: string; since: string }> = {
  Substack: {
    csv: `email,active_subscription,expiry,plan,email_disabled,created_at,first_payment_at
Ada@Example.com,true,2027-07-01T00:00:00.000Z,yearly,false,2024-06-01T10:00:00.000Z,2024-07-15T00:00:00.000Z
off@example.com,false,,other,true,2024-05-01T00:00:00.000Z,`,
    since: "2024-06-01T10:00:00.000Z",
  },
  "Substack's dashboard": {
    csv: `Email,Name,Type,Stripe plan,Start date,Activity,Revenue
ada@example.com,"Ada, the first",,free,2024-06-01T10:00:00.000000000+00:00,4,0`,
    since: "2024-06-01T10:00:00.000Z",
  },
  Ghost: {
    csv: `id,email,name,note,subscribed_to_emails,complimentary_plan,stripe_customer_id,created_at,deleted_at,labels,tiers
64f0,ada@example.com,Ada,"Early, and kind",true,false,,2024-06-01T10:00:00.000Z,,friends,
64f1,off@example.com,Off,,false,false,,2024-06-02T10:00:00.000Z,,,
64f2,gone@example.com,Gone,,true,false,,2024-06-02T10:00:00.000Z,2024-07-01T00:00:00.000Z,,`,
    since: "2024-06-01T10:00:00.000Z",
  },
  Buttondown: {
    csv: `id,creation_date,email_address,notes,metadata,tags,referrer_url,secondary_id,type,source
a1,2024-06-01T10:00:00Z,ada@example.com,"","{}","","",1,regular,api
a2,2024-06-01T10:00:00Z,asked@example.com,"","{}","","",2,unactivated,form
a3,2024-06-01T10:00:00Z,left@example.com,"","{}","","",3,unsubscribed,form
a4,2024-06-01T10:00:00Z,spam@example.com,"","{}","","",4,spammy,form`,
    since: "2024-06-01T10:00:00.000Z",
  },
  Mailchimp: {
    csv: `"Email Address","First Name","Last Name",MEMBER_RATING,OPTIN_TIME,OPTIN_IP,CONFIRM_TIME,CONFIRM_IP,LATITUDE,LONGITUDE,GMTOFF,DSTOFF,TIMEZONE,CC,REGION,LAST_CHANGED,LEID,EUID,NOTES,TAGS
ada@example.com,Ada,,2,"2024-06-01 09:58:00",192.0.2.1,"2024-06-01 10:00:00",192.0.2.1,,,,,,,,"2024-06-01 10:00:00",1,e1,,"""friends"""`,
    since: "2024-06-01T10:00:00.000Z",
  },
  "Mailchimp's unsubscribed": {
    csv: `"Email Address","First Name",OPTIN_TIME,UNSUB_TIME,UNSUB_CAMPAIGN_TITLE,UNSUB_CAMPAIGN_ID,UNSUB_REASON,UNSUB_REASON_OTHER,LEID,EUID
left@example.com,Lea,"2024-06-01 09:58:00","2024-07-01 10:00:00",June,c1,NORMAL,,1,e1`,
    since: "",
  },
  "Mailchimp's cleaned": {
    csv: `"Email Address","First Name",OPTIN_TIME,CLEAN_TIME,CLEAN_CAMPAIGN_TITLE,CLEAN_CAMPAIGN_ID,LEID,EUID
dead@example.com,Dee,"2024-06-01 09:58:00","2024-07-01 10:00:00",June,c1,1,e1`,
    since: "",
  },
};

test("a file that ends within quotes is an error, which counts the people added before", async () => {
  const at = startPlaten();
  const rows = Array.from({ length: 400 }, (_, one) => `r${one}@example.com,"Reader ${one}"\n`);
  for (const [cut, error] of [
    ["", "Row 2 has a quote that is never closed."],
    [rows.join(""), "Row 402 has a quote that is never closed. Added from earlier rows: "],
  ] as const) {
    const file = join(temporaryFolder("subscribers"), "cut.csv");
    await Bun.write(file, `email,name\n${cut}last@example.com,"Las`);
    const { data } = at.platen.config;
    const done = await callPlaten(["subscriber", "import", file, "--blog", "ada", "--data", data]);
    expect(done).toEqual({ code: 1, stdout: "", stderr: expect.stringContaining(error) });
  }
  expect(allSubscribers(at).some(({ address }) => address === "last@example.com")).toBe(false);
});

const allSubscribers = ({ platen, blog }: TestPlaten) =>
  listSubscribers(platen, blog, { page: 1, limit: 100 }).rows;

test.each(Object.entries(EXPORTS))(
  "the CSV of %s imports its active subscribers only",
  async (_, { csv, since }) => {
    const at = startPlaten();
    const file = join(temporaryFolder("csv"), "members.csv");
    await Bun.write(file, csv);
    const { data } = at.platen.config;
    const ended = await callPlaten(["subscriber", "import", file, "--blog", "ada", "--data", data]);
    const inactive = csv.split("\n").length - (since ? 2 : 1);
    expect([ended.stderr, ended.stdout]).toEqual([
      "",
      `Added ${since ? "1 subscriber" : "0 subscribers"}. Not added: 0 already subscribed, 0 unsubscribed earlier, ${inactive} inactive in the file, 0 unusable.\n`,
    ]);
    expect(
      allSubscribers(at).map(({ address, state, confirmedAt }) => [
        address,
        state,
        confirmedAt?.toISOString(),
      ]),
    ).toEqual(since ? [["ada@example.com", "confirmed", since]] : []);
  },
);

test("the import says why a file or row adds nobody", async () => {
  const at = startPlaten();
  const file = join(temporaryFolder("csv"), "members.csv");
  const { data } = at.platen.config;
  for (const [csv, reason] of [
    ["", "no row below the first row, which must name the columns"],
    ["email,name\n", "no row below the first row, which must name the columns"],
    ["ada@example.com\n", "no row below the first row, which must name the columns"],
    ["ada@example.com\nbob@example.com\n", 'The file has no column "email"'],
    ["email\nada\n", "Row 2: this row has no e-mail address."],
  ] as const) {
    await Bun.write(file, csv);
    const { stderr } = await callPlaten(["subscriber", "import", file, "--blog", "ada", "--data", data]);
    expect(stderr).toContain(reason);
  }
  expect(allSubscribers(at)).toEqual([]);
});

test("an archive contains subscribers only if requested, and restores them with their state", async () => {
  const from = startPlaten();
  const add = (address: string) => {
    addSubscriber(from.platen, from.blog, address);
    return subscriberWithAddress(from.platen, from.blog, address) as never;
  };
  add("ada@example.com");
  setSubscriberState(from.platen, add("bounced@example.com"), "bounced");
  markLeft(from.platen, add("left@example.com"));
  await from.api("POST", "/posts", { post: { title: "Tea", status: "published" } });
  const folder = temporaryFolder("archive");
  const { data } = from.platen.config;
  const plain = await callPlaten([
    "export",
    "platen",
    join(folder, "plain.zip"),
    "--blog",
    "ada",
    "--data",
    data,
  ]);
  expect(plain.stdout).toBe("Wrote 1 post.\n");
  const place = join(folder, "whole.zip");
  const whole = await callPlaten([
    "export",
    "platen",
    place,
    "--blog",
    "ada",
    "--subscribers",
    "--data",
    data,
  ]);
  expect(whole.stdout).toBe("Wrote 1 post, 3 subscribers.\n");
  const refused = await callPlaten([
    "export",
    "bar",
    place,
    "--blog",
    "ada",
    "--subscribers",
    "--data",
    data,
  ]);
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining("--subscribers does not apply to bar"),
  ]);

  const to = startPlaten();
  const importArchive = (...more: string[]) =>
    callPlaten(["import", "platen", place, "--blog", "ada", "--data", to.platen.config.data, ...more]);
  expect((await importArchive("--dry-run")).stdout).toContain("3 subscribers");
  expect((await importArchive()).stdout).toContain("3 subscribers");
  const subscriberFacts = ({ platen }: TestPlaten) =>
    platen.db
      .select()
      .from(subscribers)
      .all()
      .map(({ id: _, createdAt: __, askedAt: ___, ...row }) => row);
  expect(subscriberFacts(to)).toEqual(subscriberFacts(from));
  expect((await importArchive()).stdout).not.toContain("subscriber");
  expect(addSubscriber(to.platen, to.blog, "left@example.com")).toBe("left");
});
