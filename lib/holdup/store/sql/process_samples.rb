# frozen_string_literal: true

require "json"

module Holdup
  module Store
    class Sql
      # What processes looked like at some second. Only when, where and which process are columns; the rest
      # are facts that come and go with Ruby versions and servers.
      class ProcessSamples
        # @param connection [Connection]
        # @param hosts [Catalog]
        def initialize(connection, hosts)
          @connection = connection
          @hosts = hosts
        end

        # @param samples [Array<Hash>] see Sql#commit
        def add(samples)
          @connection.write do |db|
            samples.each do |sample|
              key = {at_s: sample.fetch(:at_s), host_id: @hosts.id(sample.fetch(:host)),
                     pid: sample.fetch(:pid)}
              db[:processes].where(key).delete
              db[:processes].insert(key.merge(facts: JSON.generate(sample.except(:at_s, :host, :pid))))
            end
          end
        end

        # @see Sql#processes
        def between(from_s, to_s, every_s: nil)
          @connection.read do |db|
            all = db[:processes].where { (at_s >= from_s) & (at_s < to_s) }
            rows = every_s ? db[:processes].where(id: last_of_each(all, every_s)) : all
            rows.order(:at_s, :host_id, :pid).all.filter_map { |row| sample(row) }
          end
        end

        # @return [Integer] samples deleted
        def delete_before(second)
          @connection.write { |db| db[:processes].where { at_s < second }.delete }
        end

        private

        # From the index alone: the facts, which are long, are read only of what is wanted. They were added in
        # time order.
        def last_of_each(samples, every_s)
          samples.group(:host_id, :pid,
            Sequel[:at_s].sql_number - Sequel[:at_s].sql_number % every_s).select {
            max(:id)
          }
        end

        def sample(row)
          {at_s: row[:at_s], host: @hosts.value(row[:host_id]), pid: row[:pid],
           **JSON.parse(row[:facts], symbolize_names: true)}
        rescue JSON::ParserError # one that is damaged: there are more
          nil
        end
      end
    end
  end
end
