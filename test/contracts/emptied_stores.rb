# frozen_string_literal: true

require "holdup/loader"

# Stores behind a server, for StoreContract: emptied for the next test, because making the tables takes longer
# than most tests. Include it and define `new_url`.
module EmptiedStores
  # Rows that refer to others first.
  TABLES = %i[
    windows host_sums process_samples unit_samples slowest_units arrivals recent_figures checkpoints
    collector_checkpoints skipped_rows prediction_outcomes audit_entries deaths notices answers
    series settings hosts
  ].freeze

  # @return [Hash{Class => Array<String>}] URLs with tables, by test class
  def self.urls = @urls ||= Hash.new { |urls, test| urls[test] = [] }

  def new_store
    urls = EmptiedStores.urls[self.class]
    @taken = @taken.to_i + 1
    urls << made(new_url) if urls.size < @taken
    Holdup::Store.open(emptied(urls[@taken - 1]))
  end

  private

  def made(url)
    Holdup::Store.open(url).tap(&:migrate!).close
    url
  end

  def emptied(url)
    dialect = url.start_with?("postgres") ? Holdup::Store::Sql::Postgres : Holdup::Store::Sql::Mysql
    connection = Holdup::Store::Sql::Connection.new(dialect.new(url))
    connection.write do |db|
      TABLES.each { |table| db[table].delete }
      db[:tiers].update(rolled_to_s: 0, kept_from_s: 0)
    end
    url
  ensure
    connection.close
  end
end
