import { offerCopies } from "../../layout/browser/copying";

offerCopies();
