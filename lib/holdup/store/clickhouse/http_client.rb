# frozen_string_literal: true

require "json"
require "net/http"
require "uri"

module Holdup
  module Store
    class Clickhouse
      # Talks to a ClickHouse server over HTTP. Nothing is sent twice: a caller that has no answer must assume
      # that the server may still carry the statement out.
      class HttpClient
        SCHEMES = {"clickhouse" => false, "clickhouse+https" => true}.freeze
        PORTS = {false => 8123, true => 8443}.freeze
        OPEN_S = 5
        ANSWER_S = 60
        LOST = [SystemCallError, IOError, Timeout::Error, SocketError, OpenSSL::SSL::SSLError,
          Net::HTTPBadResponse, Net::ProtocolError].freeze
        private_constant :OPEN_S, :ANSWER_S, :LOST

        # URL without its password.
        attr_reader :location

        # @param answer_s [Numeric] how long to wait for an answer
        def initialize(url, answer_s: ANSWER_S)
          @answer_s = answer_s
          @location = Store.redact(url)
          @uri = URI.parse(url)
          @tls = SCHEMES.fetch(@uri.scheme)
          @path = "/?#{URI.encode_www_form(database:, wait_end_of_query: 1)}"
        rescue URI::InvalidURIError, KeyError
          raise ServerErrors::Unreachable.new(location: @location, reason: "it is not a URL of ClickHouse")
        end

        # @return [String]
        def database
          name = @uri.path.to_s.delete_prefix("/")
          name.empty? ? "default" : name
        end

        # @return [Array<Array>] rows of columns; numbers of 64 bits may be text, depending on the server
        # @raise [StoreError]
        def rows(sql)
          JSON.parse(post("#{sql} FORMAT JSONCompact")).fetch("data")
        rescue JSON::ParserError, KeyError
          raise ServerErrors::Corrupt.new(location:, reason: "its answer is not JSON")
        end

        # @param rows [Array<Hash>] all with the same columns. They become one block, visible at once
        # @raise [StoreError]
        def insert(table, rows)
          return if rows.empty?
          columns = rows.first.keys.map { |name| "`#{name}`" }.join(", ")
          post("INSERT INTO #{table} (#{columns}) FORMAT JSONEachRow\n#{rows.map(&:to_json).join("\n")}")
          nil
        end

        # @return [String] the answer
        # @raise [StoreError]
        def run(sql) = post(sql)

        def close
          @http&.finish
        rescue IOError
          nil
        ensure
          @http = nil
        end

        # A string as SQL writes it.
        def self.quote(text) = "'#{text.gsub(/[\\']/) { |char| "\\#{char}" }}'"

        private

        def post(body)
          request = Net::HTTP::Post.new(@path)
          request.body = body.b
          request["Content-Type"] = "text/plain"
          request["X-ClickHouse-User"] = decoded(@uri.user) if @uri.user
          request["X-ClickHouse-Key"] = decoded(@uri.password) if @uri.password
          response = http.request(request)
          text = response.body.to_s.force_encoding(Encoding::UTF_8)
          return text if response.is_a?(Net::HTTPSuccess)
          raise Faults.of(text.scrub("?"), location:, status: response.code)
        rescue *LOST => error
          close
          raise ServerErrors::Unreachable.new(location:, reason: error.message.lines.first.to_s.strip)
        end

        # It opens another connection when this one was idle for two seconds, before the server closes it.
        def http
          @http ||= Net::HTTP.new(@uri.hostname, @uri.port || PORTS.fetch(@tls), nil).tap do |http|
            http.use_ssl = @tls
            http.open_timeout = OPEN_S
            http.read_timeout = http.write_timeout = @answer_s
            http.max_retries = 0
            http.start
          end
        end

        def decoded(text) = URI.decode_uri_component(text)

        # Translates what a server answers for the owner of a store, by its numbers.
        module Faults
          KINDS = {
            unreachable: [81, 159, 160, 192, 193, 194, 195, 202, 209, 210, 252, 279, 439, 516],
            denied: [164, 291, 392, 497], read_only: [242], not_migrated: [60], full: [243],
            out_of_memory: [241]
          }.flat_map { |kind, numbers| numbers.map { |number| [number, kind] } }.to_h.freeze
          NO_SPACE = /No space left|Disk quota|errno: 28\b/
          private_constant :KINDS, :NO_SPACE

          # @return [StoreError]
          def self.of(text, location:, status:)
            number = text[/Code: (\d+)/, 1].to_i
            reason = reason(text, status)
            case NO_SPACE.match?(text) ? :full : KINDS[number]
            when :full then StoreError::Full.new(location:)
            when :denied then ServerErrors::Denied.new(location:, reason:)
            when :read_only then ServerErrors::ReadOnly.new(location:)
            when :not_migrated then ServerErrors::NotMigrated.new(location:)
            when :unreachable then ServerErrors::Unreachable.new(location:, reason:)
            when :out_of_memory then ServerErrors::OutOfMemory.new(location:, reason:)
            else other(number, location:, reason:)
            end
          end

          # What has no number is not of ClickHouse, but of a proxy before it.
          def self.other(number, location:, reason:)
            kind = number.zero? ? ServerErrors::Unreachable : ServerErrors::Corrupt
            kind.new(location:, reason:)
          end

          # The first sentence, without the statement.
          def self.reason(text, status)
            line = text.lines.first.to_s.strip
            return "HTTP status #{status}" unless line.start_with?("Code:")
            line.sub(/\ACode: \d+[.,] (e\.displayText\(\) = )?DB::Exception: /, "")
              .sub(/,? (e\.what|Stack trace|\(version ).*/, "")[0, 200]
          end
          private_class_method :other, :reason
        end
      end
    end
  end
end
