drop table message_trigrams;
drop table trigram_progress;

-- Positions up to here are in the blocks below; the signatures of what comes after are only in memory. Set back when what is
-- indexed of a stored message changes, and `index_resets` with it, so that a block built meanwhile is thrown away.
alter table teams add column indexed_through integer not null default 0;
alter table teams add column index_resets integer not null default 0;

-- Some consecutive positions of a team (see store/text-index.ts), with the bounds of their times.
create table text_blocks (
  id integer primary key,
  team_id text not null references teams (id),
  block integer not null,
  newest_received_at integer not null,
  oldest_received_at integer not null,
  unique (team_id, block)
) strict;

-- Which messages of a block have one slot of the signature (domain/signature.ts): a bit for each position, no row for
-- none. The key is the block's id and the slot in one number: by the three columns that it stands for, a lookup took
-- a third longer and the table was 1.4 times as large.
create table text_slices (
  place integer primary key,
  bits blob not null
) strict;

create trigger text_slices_of_dropped_block after delete on text_blocks
begin
  delete from text_slices where place between old.id * 8192 and old.id * 8192 + 8191;
end;
