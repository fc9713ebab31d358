# frozen_string_literal: true

require "json"
require "net/http"
require "uri"

module Holdup
  module Store
    class Clickhouse
      # Talks to a ClickHouse server over HTTP. Only questions are sent again where the server refused them
      # for a reason that passes. Whatever writes is sent once: a caller that has no answer must assume that
      # the server may still carry the statement out.
      class HttpClient
        SCHEMES = {"clickhouse" => false, "clickhouse+https" => true}.freeze
        PORTS = {false => 8123, true => 8443}.freeze
        OPEN_S = 5
        ANSWER_S = 60
        # What the network does, by what it means.
        TLS = [OpenSSL::SSL::SSLError].freeze
        LOST = [EOFError, Errno::ECONNRESET, Errno::EPIPE, Errno::ECONNABORTED].freeze
        UNREACHABLE = [SystemCallError, IOError, Timeout::Error, SocketError, Net::HTTPBadResponse,
          Net::ProtocolError].freeze
        private_constant :OPEN_S, :ANSWER_S, :TLS, :LOST, :UNREACHABLE

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
          raise ServerErrors::InvalidUrl.new(location: @location)
        end

        # @return [String]
        def database
          name = @uri.path.to_s.delete_prefix("/")
          name.empty? ? "default" : name
        end

        # @return [Array<Array>] rows of columns; numbers of 64 bits may be text, depending on the server
        # @raise [StoreError]
        def rows(sql)
          text = again { post("#{sql} FORMAT JSONCompact") }
          JSON.parse(text).fetch("data")
        rescue JSON::ParserError, KeyError
          reason = "its answer is not JSON: #{text[0, 100].inspect}"
          raise ServerErrors::Unexpected.new(location:, reason:)
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

        def again
          retries ||= Retries.new
          yield
        rescue StoreError => error
          retries.again?(error) ? retry : raise
        end

        def post(body)
          request = Net::HTTP::Post.new(@path)
          request.body = body.b
          request["Content-Type"] = "text/plain"
          request["X-ClickHouse-User"] = decoded(@uri.user) if @uri.user
          request["X-ClickHouse-Key"] = decoded(@uri.password) if @uri.password
          response = http.request(request)
          text = response.body.to_s.force_encoding(Encoding::UTF_8)
          return text if response.is_a?(Net::HTTPSuccess)
          code = response["X-ClickHouse-Exception-Code"]
          raise Faults.of(text.scrub("?"), location:, status: response.code, code:)
        rescue *TLS, *UNREACHABLE => error
          close
          raise broken(error)
        end

        def broken(error)
          reason = error.message.lines.first.to_s.strip
          case error
          when *TLS then ServerErrors::TlsFailed.new(location:, reason:)
          when *LOST then ServerErrors::ConnectionLost.new(location:, reason:)
          when Net::ReadTimeout
            ServerErrors::Unreachable.new(location:, reason: "no answer within #{@answer_s} s")
          else ServerErrors::Unreachable.new(location:, reason:)
          end
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

        # Translates what a server answers for the owner of a store, by its codes.
        module Faults
          Table = ErrorTable::ClickhouseCodes
          private_constant :Table

          # @param code [String, nil] as newer servers say it in a header
          # @return [StoreError]
          def self.of(text, location:, status:, code: nil)
            reason = reason(text, status)
            code ||= text[/Code: (\d+)/, 1]
            # What has no code is not of ClickHouse, but of a proxy before it.
            entry = code ? Table.find(code, text) || ErrorTable::UNEXPECTED : Table.of_status(status)
            ServerErrors.of(entry, location:, reason:)
          end

          # The first sentence, without the statement.
          def self.reason(text, status)
            line = text.lines.first.to_s.strip
            return "HTTP status #{status}" unless line.start_with?("Code:")
            line.sub(/\ACode: \d+[.,] (e\.displayText\(\) = )?DB::Exception: /, "")
              .sub(/,? (e\.what|Stack trace|\(version ).*/, "")[0, 200]
          end
          private_class_method :reason
        end
      end
    end
  end
end
