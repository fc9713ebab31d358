# frozen_string_literal: true

require "json"

module Holdup
  module Stores
    class Sql
      # What processes looked like at some second. Only when, where and which process are columns; the rest are facts
      # that come and go with Ruby versions and servers.
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
              key = {at_s: sample.fetch(:at_s), host_id: @hosts.id(sample.fetch(:host)), pid: sample.fetch(:pid)}
              db[:processes].where(key).delete
              db[:processes].insert(key.merge(facts: JSON.generate(sample.except(:at_s, :host, :pid))))
            end
          end
        end

        # @return [Array<Hash>] in time order
        def between(from_s, to_s)
          @connection.read do |db|
            db[:processes].where { (at_s >= from_s) & (at_s < to_s) }.order(:at_s, :host_id, :pid).map do |row|
              {at_s: row[:at_s], host: @hosts.value(row[:host_id]), pid: row[:pid], **JSON.parse(row[:facts], symbolize_names: true)}
            end
          end
        end

        # @return [Integer] samples deleted
        def delete_before(second) = @connection.write { |db| db[:processes].where { at_s < second }.delete }
      end
    end
  end
end
