# frozen_string_literal: true

require "securerandom"

module Holdup
  module Store
    class Clickhouse
      # Commits without transactions. Rows go to their tables first, with the number of their session and
      # commit. They count once the commit's own block is in `commits`: one insert of one block with the
      # checkpoints, which is there whole or not at all. A block that arrives twice counts once (see Schema).
      #
      # After an error it is unknown whether that block still arrives. So nothing is sent again. The session
      # ends, and the next one fences it, like that of a killed collector:
      #
      # 1. It claims its scopes (host and folder of the segments) with an epoch above all others there
      # 2. It reads, at once, the checkpoints and the last commit of each session that has a claim there
      # 3. Its first block closes each of them at that commit, and takes their checkpoints over. What arrives
      #    of them later never counts
      #
      # After each commit a session looks for a claim with a higher epoch, and gives up if there is one: that
      # commit may be closed out yet. Of two that close one session, the higher epoch holds, because it has
      # closed the other one too.
      class CommitSession
        # Later than every minute.
        NEVER_S = 1 << 62
        # Most that may pass between claim and first block. A step waits longer for a claim
        # (RollupSteps::PENDING_S).
        CLAIM_S = 120
        # How long the oldest minute of a commit is remembered, see `reach`.
        REACH_S = 900
        # Epochs are unique: those of one moment differ in the lower bits.
        EPOCH_BITS = 20
        # Session, last commit that counts, and what its last commit says of its reach (see `reach`).
        LIMITS = <<~SQL.tr("\n", " ").freeze
          SELECT owner AS session, if(closes > 0, least(made, closed), made) AS last, since, oldest FROM (
          SELECT if(kind = 'close', toUInt64OrZero(name), session) AS owner,
          maxIf(number, kind = 'commit') AS made,
          argMaxIf(epoch, number, kind = 'commit') AS since,
          argMaxIf(upto, number, kind = 'commit') AS oldest,
          countIf(kind = 'close') AS closes, argMaxIf(upto, epoch, kind = 'close') AS closed
          FROM commits WHERE kind IN ('commit', 'close') GROUP BY owner)
        SQL

        # The minutes of a commit.
        Minutes = Data.define(:number, :oldest_s, :at)
        private_constant :Minutes

        def self.epoch_after(epoch)
          (((epoch >> EPOCH_BITS) + 1) << EPOCH_BITS) + SecureRandom.random_number(1 << EPOCH_BITS)
        end

        def initialize(client)
          @client = client
          @prefixes = []
          @read = {}
          forget
        end

        # Leaves the session to be closed by the next one.
        def forget
          @id = SecureRandom.random_number(1 << 63)
          @number = 0
          @epochs = {}
          @skipped = Hash.new(0)
          @recent = []
        end

        # @param prefix [String, nil] remembers these checkpoints: commits will go on from them
        # @return [Hash{String => String}] segment => checkpoint
        def checkpoints(prefix = nil)
          texts = CommitFacts.new(@client, condition([prefix.to_s])).checkpoints
          if prefix
            @read.delete_if { |scope, _| scope.start_with?(prefix) }
            @prefixes |= [prefix]
            texts.each { |name, text| (@read[scope(name)] ||= {})[name] = text }
          end
          texts.transform_values { |text| text.unpack1("m") }
        end

        # What this session has read or written: another one that commits meanwhile fences it.
        # @param expected [Hash{String => String, nil}] segment => checkpoint
        def check_expected(expected)
          locked! unless expected.all? do |name, bytes|
            @read.dig(scope(name), name)&.unpack1("m") == bytes&.b
          end
        end

        # @param rows [Hash{String => Array<Hash>}] by table, without session and number
        # @param checkpoints [Hash{String => String, nil}]
        # @param facts [Array<Hash>] further rows of `commits`
        # @raise [StoreError] and then it does not count, except for an answer that was lost: see above
        def commit(rows, checkpoints, facts, oldest_s: nil)
          claim(checkpoints.keys.map { |name| scope(name) }.uniq - @epochs.keys)
          @number += 1
          own = {session: @id, number: @number}
          rows.each { |table, some| @client.insert(table, some.map { |row| {**own, **row} }) }
          moved = checkpoints.map { |name, bytes| checkpoint(name, bytes && [bytes].pack("m0")) }
          write([reach(oldest_s), *moved, *facts])
          check
          moved.each { |row| remember(row) }
        end

        # The count of the session so far: its rows replace each other.
        def skipped(row)
          count = @skipped[row.key] += row.count
          name = [row.host, row.kind, row.name].to_json
          {kind: "skipped", name:, stamp: row.at_s, text: [row.reason, count].to_json}
        end

        private

        # The condition includes the checkpoints whose names begin so.
        def condition(beginnings)
          names = beginnings.map { |text| "startsWith(name, #{HttpClient.quote(text)})" }.join(" OR ")
          "kind IN ('commit', 'close', 'claim') OR (kind = 'checkpoint' AND (#{names}))"
        end

        # Host and folder of a segment.
        def scope(name) = name.rpartition("/").then { |folder, slash, _| slash.empty? ? name : folder }

        def claim(scopes)
          return if scopes.empty?
          started = now
          epoch = self.class.epoch_after(highest(scopes))
          claims = scopes.map { |scope| {kind: "claim", name: scope, epoch:} }
          write(claims, number: 0)
          found = CommitFacts.new(@client, condition(scopes))
          locked! if found.claims(scopes).any? { |_, other| other > epoch }
          compare(scopes, found)
          scopes.each { |scope| @epochs[scope] = epoch }
          take_over(scopes, found, epoch)
          locked! if now - started > CLAIM_S
          check
        end

        def take_over(scopes, found, epoch)
          others = found.claims(scopes).map(&:first).uniq - [@id]
          open = others.reject { |session| found.closed?(session) }
          closes = open.map do |session|
            {kind: "close", name: session.to_s, epoch:, upto: found.last(session)}
          end
          texts = found.checkpoints(deleted: true).select { |name, _| scopes.include?(scope(name)) }
          return if closes.empty? && texts.empty?
          @number += 1
          write([reach(nil), *closes, *texts.map { |name, text| checkpoint(name, text) }])
        end

        # What the caller has read, and goes on from, must still hold.
        def compare(scopes, found)
          scopes.each do |scope|
            next unless @prefixes.any? { |prefix| scope.start_with?(prefix) }
            stored = found.checkpoints.select { |name, _| scope(name) == scope }
            locked! if stored != @read.fetch(scope, {})
          end
        end

        # What was read is then what the session wrote.
        def remember(row)
          known = @read[scope(row[:name])] ||= {}
          row[:text].empty? ? known.delete(row[:name]) : known[row[:name]] = row[:text]
        end

        def checkpoint(name, text)
          {kind: "checkpoint", name:, epoch: @epochs.fetch(scope(name)), text: text.to_s}
        end

        # The commit itself. From its commit `epoch` on, no minute of the session is older than `upto`: what
        # reads long windows looks for late minutes from there on.
        def reach(oldest_s)
          @recent << Minutes.new(number: @number, oldest_s: oldest_s || NEVER_S, at: now)
          @recent.reject! { |minutes| minutes.at < now - REACH_S }
          {kind: "commit", name: "", epoch: @recent.first.number, upto: @recent.map(&:oldest_s).min}
        end

        # One insert of one block.
        def write(rows, number: @number)
          empty = {kind: "", name: "", session: @id, number:, epoch: 0, upto: 0, stamp: 0, text: ""}
          @client.insert("commits", rows.map { |row| empty.merge(row) })
        end

        # Whether another one has claimed a scope of this session, or has closed it. One that claims it after
        # this look sees the commit.
        def check
          names = @epochs.keys.map { |scope| HttpClient.quote(scope) }
          claims = " OR (kind = 'claim' AND name IN (#{names.join(", ")}))" if names.any?
          rows = @client.rows("SELECT kind, name, max(epoch) FROM commits " \
            "WHERE (kind = 'close' AND name = '#{@id}')#{claims} GROUP BY kind, name")
          locked! if rows.any? { |kind, name, epoch| kind == "close" || epoch.to_i > @epochs.fetch(name) }
        end

        def highest(scopes)
          names = scopes.map { |scope| HttpClient.quote(scope) }.join(", ")
          claims = "kind = 'claim' AND name IN (#{names})"
          @client.rows("SELECT max(epoch) FROM commits WHERE #{claims}").dig(0, 0).to_i
        end

        # Another collector writes for the same segments.
        def locked!
          raise StoreError::Overtaken.new(location: @client.location)
        end

        def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      end

      # What one read of `commits` shows.
      class CommitSession::CommitFacts
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
          texts = kept.transform_values { |same| same.max_by(&:epoch).text }
          deleted ? texts : texts.reject { |_, text| text.empty? }
        end
      end
    end
  end
end
