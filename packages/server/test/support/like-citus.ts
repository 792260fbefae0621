/**
 * What `db distribute` uses of Citus, for a PostgreSQL without it: the same names and parameters, and the rule that a table comes
 * after those that it refers to. It records the calls and moves nothing. Found before PostgreSQL's own names by the search path.
 */
export const LIKE_CITUS = `
  create schema citus_double;
  set search_path = citus_double, public, pg_catalog;
  create view pg_available_extensions as select 'citus'::name as name, '13.0-1' as installed_version;
  create table calls (number bigint generated always as identity, name text, type text, colocated text);
  create table refused (name text);
  create view citus_tables as select name::regclass as table_name, type as citus_table_type from calls;
  create view citus_shards as
    select name::regclass as table_name, nodename, 5432 as nodeport, shard_size
    from calls, (values ('one', 100::bigint), ('two', 200)) as node (nodename, shard_size)
    where type = 'distributed';

  create function record_call(given regclass, type text, colocated text) returns void language plpgsql as $$
    begin
      if exists (select from refused where name = given::text) then raise 'refused'; end if;
      if exists (select from pg_constraint
                 where conrelid = given and contype = 'f' and confrelid <> given
                   and confrelid::regclass::text not in (select name from calls)) then
        raise '% refers to a table that is not distributed', given;
      end if;
      insert into calls (name, type, colocated) values (given::text, type, colocated);
    end $$;
  create function create_reference_table(table_name regclass) returns void language sql as
    $$ select record_call(table_name, 'reference', null) $$;
  create function create_distributed_table(table_name regclass, distribution_column text, distribution_type text default 'hash',
                                           colocate_with text default 'default', shard_count int default null)
    returns void language sql as $$ select record_call(table_name, 'distributed', colocate_with) $$;
  create function create_distributed_function(function_name regprocedure, distribution_arg_name text, colocate_with text,
                                              force_delegation bool) returns void language sql as '';
  create function truncate_local_data_after_distributing_table(function_name regclass) returns void language sql as '';
  do $$ begin
    execute format('alter database %I set search_path = citus_double, public, pg_catalog', current_database());
  end $$`
