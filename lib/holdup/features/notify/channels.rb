# frozen_string_literal: true

require "json"
require "net/http"
require "timeout"

module Holdup
  module Notify
    # Takes messages to those who should read them. What a receiver does or fails to do raises nothing, and no
    # answer names an address: whoever knows one can write there.
    module Channels
      # Of one message, whatever the receiver does.
      LONGEST_S = 10

      # How it went. `key`: :sent, or of a sentence; `detail`: a status, or a class of error; `again`: whether
      # another attempt may succeed; `after_s`: seconds until then that the receiver asks for, or nil
      ChannelAnswer = Data.define(:key, :detail, :again, :after_s) do
        def initialize(key:, detail: nil, again: false, after_s: nil) = super

        def sent? = key == :sent
      end

      # @param plan [ConfigurationKeys::NotifyPlan]
      # @param log [#call] gets the lines of a message
      # @return [Hash{Symbol => #call}] by kind
      def self.of(plan, log:, longest_s: LONGEST_S)
        plan.channels.to_h do |kind, target|
          channel = case kind
          when :log then LogLines.new(log)
          when :command then ProgramChannel.new(target, longest_s:)
          when :rails_error then RailsErrorChannel.new
          when :block then BlockChannel.new(target)
          else Webhook.new(kind, target, longest_s:)
          end
          [kind, channel]
        end
      end

      # A line in the log of the collector.
      class LogLines
        def initialize(log)
          @log = log
        end

        def call(message)
          @log.call(message.lines.join(" | ").gsub(/\s*\n\s*/, " | "))
          ChannelAnswer.new(key: :sent)
        end
      end

      # An HTTP request. It follows no redirect: that could lead a notice to anybody.
      class Webhook
        # The receiver has no time now, or fails.
        AGAIN = [408, 425, 429, *500..599].freeze
        # A receiver may not put a notice off for days.
        MOST_WAIT_S = 3600
        ERRORS = [SystemCallError, SocketError, IOError, Timeout::Error, OpenSSL::SSL::SSLError,
          Net::ProtocolError, Net::HTTPBadResponse, Net::HTTPHeaderSyntaxError, Zlib::Error].freeze

        # @param url [String] for PagerDuty with the routing key after a #
        def initialize(kind, url, longest_s: LONGEST_S)
          @kind = kind
          @url = url
          @longest_s = longest_s
        end

        # @param message [NoticeMessage]
        # @return [ChannelAnswer]
        def call(message)
          address, key = @url.split("#", 2)
          uri = URI.parse(address)
          body = WebhookBody.call(@kind, message, key:)
          # The timeouts of Net::HTTP count from one byte to the next; this one ends what drips. Nothing else
          # runs in this process that could be left half done.
          response = Timeout.timeout(@longest_s) { post(uri, body) }
          delivery(response)
        rescue URI::InvalidURIError
          ChannelAnswer.new(key: :no_url)
        rescue Timeout::Error
          ChannelAnswer.new(key: :no_answer, detail: @longest_s, again: true)
        rescue *ERRORS => error
          ChannelAnswer.new(key: :unreachable, detail: error.class.name, again: true)
        end

        private

        def post(uri, body)
          http = Net::HTTP.new(uri.hostname, uri.port)
          http.use_ssl = uri.scheme == "https"
          http.max_retries = 0
          http.open_timeout = http.read_timeout = http.write_timeout = @longest_s
          request = Net::HTTP::Post.new(uri, "Content-Type" => "application/json",
            "User-Agent" => "holdup/#{VERSION}")
          request.body = body
          http.start { |connection| head(connection, request) }
        end

        # Nobody needs the body of the answer, which may have no end.
        # @return [Net::HTTPResponse]
        def head(connection, request)
          catch(:head) do
            connection.request(request) { |response| throw(:head, response) }
          end
        end

        def delivery(response)
          status = response.code.to_i
          return ChannelAnswer.new(key: :sent, detail: status) if status.between?(200, 299)
          return ChannelAnswer.new(key: :redirected, detail: status) if status.between?(300, 399)
          after_s = Integer(response["Retry-After"].to_s, 10, exception: false)
          ChannelAnswer.new(key: :refused, detail: status, again: AGAIN.include?(status),
            after_s: after_s&.clamp(0, MOST_WAIT_S))
        end
      end

      # Rails' reporter of errors, whose subscribers are the application's trackers of errors. Only in a
      # thread of the application.
      class RailsErrorChannel
        SOURCE = "holdup"

        # What trackers group by.
        class NoticedProblem < StandardError; end

        # @param message [NoticeMessage]
        # @return [ChannelAnswer]
        def call(message)
          return ChannelAnswer.new(key: :no_rails) unless defined?(::Rails) && ::Rails.respond_to?(:error)
          context = message.to_h.slice(:rule, :state, :figure, :command, :link).compact
          severity = (message.state == :over) ? :info : :warning
          problem = NoticedProblem.new("#{message.title}: #{message.text}")
          BlockChannel.new(->(*) {
            ::Rails.error.report(problem, handled: true, severity:, context:, source: SOURCE)
          }).call(message)
        end
      end

      # Code of the application. It is called inside of Rails' executor, as a job is, so it may use classes
      # that are loaded again when they change, and connections of the database.
      class BlockChannel
        # @param block [#call] gets the message
        def initialize(block)
          @block = block
        end

        # @param message [NoticeMessage]
        # @return [ChannelAnswer]
        def call(message)
          executor ? executor.wrap { @block.call(message) } : @block.call(message)
          ChannelAnswer.new(key: :sent)
        rescue => error # of the application: the next notice is tried again
          ChannelAnswer.new(key: :raised, detail: error.class.name)
        end

        private

        def executor
          ::Rails.application&.executor if defined?(::Rails) && ::Rails.respond_to?(:application)
        end
      end

      # A program that gets the message as JSON on its standard input. It gets no secrets: neither the
      # addresses of other channels nor the store's password.
      class ProgramChannel
        STEP_S = 0.05
        SECRETS = {"HOLDUP_NOTIFY" => nil, "HOLDUP_STORE" => nil, "HOLDUP_WEB_AUTH" => nil}.freeze

        def initialize(path, longest_s: LONGEST_S)
          @path = path
          @longest_s = longest_s
        end

        # @param message [NoticeMessage]
        # @return [ChannelAnswer]
        def call(message)
          status = run(WebhookBody.call(:webhook, message))
          return ChannelAnswer.new(key: :no_end, detail: @longest_s, again: true) unless status
          return ChannelAnswer.new(key: :sent) if status.success?
          ChannelAnswer.new(key: :failed, detail: status.exitstatus || status.termsig, again: true)
        rescue SystemCallError => error
          ChannelAnswer.new(key: :not_run, detail: error.class.name)
        end

        private

        # @return [Process::Status, nil] nil: it was ended, because it took too long
        def run(text)
          output, input = IO.pipe
          pid = Process.spawn(SECRETS, [@path, @path], in: output, out: File::NULL, err: File::NULL,
            pgroup: true)
          output.close
          deadline = now_s + @longest_s
          give(input, text, deadline)
          waited(pid, deadline)
        ensure
          [output, input].compact.each(&:close)
        end

        # A notice is shorter than what a pipe holds; a program that does not read a digest gets a part of it.
        def give(input, text, deadline)
          until text.empty?
            written = input.write_nonblock(text, exception: false)
            if written == :wait_writable
              break unless input.wait_writable([deadline - now_s, 0].max)
            else
              text = text.byteslice(written..)
            end
          end
        rescue Errno::EPIPE
          # It ended, or reads nothing: its status says whether it took the message.
        ensure
          input.close
        end

        def now_s = Process.clock_gettime(Process::CLOCK_MONOTONIC)

        def waited(pid, deadline)
          until Process.wait(pid, Process::WNOHANG)
            return stopped(pid) if now_s > deadline
            sleep(STEP_S)
          end
          $?
        end

        def stopped(pid)
          Process.kill(:KILL, -pid)
          Process.wait(pid)
          nil
        end
      end
    end
  end
end
