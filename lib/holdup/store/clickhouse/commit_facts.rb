# frozen_string_literal: true

module Holdup
  module Store
    class Clickhouse
      # What one read of `commits` shows.
      class CommitFacts
        Fact = Data.define(:kind, :name, :session, :number, :text, :upto, :epoch, :stamp)
        COLUMNS = "kind, name, session, max(number), argMax(text, number), argMax(upto, number), " \
          "argMax(epoch, number), argMax(stamp, number)"

        def initialize(client, condition)
          rows = client.rows("SELECT #{COLUMNS} FROM commits WHERE #{condition} GROUP BY kind, name, session")
          facts = rows.map do |kind, name, session, number, text, *numbers|
            upto, epoch, stamp = numbers.map(&:to_i)
            Fact.new(kind:, name:, session: session.to_i, number: number.to_i, text:, upto:, epoch:, stamp:)
          end
          @facts = facts.group_by(&:kind)
          @last = of("commit").to_h { |fact| [fact.session, fact.number] }
          @closed = of("close").sort_by(&:epoch).to_h { |fact| [fact.name.to_i, fact.upto] }
        end

        def of(kind) = @facts.fetch(kind, [])

        # @return [Array<(Integer, Integer)>] session and epoch
        def claims(scopes)
          of("claim").select { |fact| scopes.include?(fact.name) }.map { |fact| [fact.session, fact.epoch] }
        end

        def closed?(session) = @closed.key?(session)

        # @return [Integer] the last commit that counts
        def last(session)
          [@last.fetch(session, 0), *@closed[session]].min
        end

        # @return [Array<Fact>] facts of that kind that count
        def counting(kind) = of(kind).select { |fact| fact.number <= last(fact.session) }

        # @return [Hash{String => String}] segment => checkpoint in base64
        def checkpoints(deleted: false)
          by_name = counting("checkpoint").group_by(&:name)
          kept = by_name.reject { |_, same| same.all? { |fact| fact.text.empty? } }
          states = kept.transform_values { |same| same.max_by(&:epoch).text }
          deleted ? states : states.reject { |_, text| text.empty? }
        end
      end
    end
  end
end
